import Foundation

extension KeyFile {
    /// Creates the file with one random raw key, accessible to the owner only.
    ///
    /// ```swift
    /// try KeyFile("/etc/inventory/keys").create()
    /// ```
    ///
    /// - Throws: ``StrongroomError`` with `exists` if something exists at the path, such as a dangling symbolic link,
    ///   which is not changed; `keySource` if it is ``Access/mounted``; `permissionDenied`, `diskFull`.
    public func create() throws {
        try requireOwn()
        guard try !exists() else { throw alreadyThere }
        try FileSystem.createDirectories(FileSystem.directory(of: path))
        do {
            // Creating takes no lock, so each process writes a temporary file of its own.
            try write(line(of: nil), by: "\(path).\(UInt32.random(in: 0...UInt32.max)).new") {
                try $0.moveIntoPlace(path)
            }
        } catch let error as StrongroomError where error.code == .exists {
            // Another process has created it meanwhile, or there is a dangling symbolic link.
            throw try exists() ? alreadyThere : error
        }
    }

    /// Appends a random raw key, which becomes the current one. A concurrent reader gets either the old keys or the new
    /// ones. Owner, permissions, access list and extended attributes are kept, except for attributes that this
    /// process may not set. A process that is killed meanwhile leaves `.NAME.new` with the keys,
    /// readable only by users who may read the key file; the next call removes it.
    ///
    /// ```swift
    /// let count = try KeyFile("/etc/inventory/keys").appendKey()
    /// ```
    ///
    /// - Returns: The number of keys in the file now.
    /// - Throws: ``StrongroomError`` as ``keyChain(creating:)``, and with `keySource` if it is ``Access/mounted``; the
    ///   file is then unchanged, unless the error says that the new one has replaced it.
    @discardableResult
    public func appendKey() throws -> Int { try append(nil) }

    /// As ``appendKey()``, with a given key, such as a passphrase.
    package func append(_ key: Key?) throws -> Int {
        try requireOwn()
        let target = KeyFile(try FileSystem.resolve(path))
        let lockPath = FileSystem.hiddenFile(of: target.path, "lock")
        guard let lock = try FileLock.tryAcquire(lockPath) else {
            throw StrongroomError(
                .locked, "Another process is changing the key file \"\(path)\". Wait for it, then try again.")
        }
        let count = try target.withContent { content in try target.append(key, to: content, as: path) }
        lock.remove(lockPath)
        return count
    }

    /// - Returns: The number of keys now.
    private func append(_ key: Key?, to content: [UInt8], as name: String) throws -> Int {
        // The file must be valid first: a key after an invalid line would not be found.
        let count = try text.keyChain(content).count
        let line = try line(of: key)
        guard content.count + line.count + Self.lineEnds < KeyText.largest else {
            throw StrongroomError(
                .keySource,
                "The key file \"\(name)\" is full; remove keys at its beginning that no file needs any more.")
        }
        // The same name each time: a file left by a killed process contains all keys and is removed now.
        let temporary = FileSystem.hiddenFile(of: path, "new")
        try FileSystem.remove(temporary)
        try write(line, after: content, by: temporary) { file in
            // What this process may not set, such as the labels of another program, is left out.
            _ = try FileAttributes.copy(of: path, to: file)
            try file.replace(path)
        }
        return count + 1
    }

    /// Bytes of the ends of the line before and of the new one.
    private static let lineEnds = 2

    /// The line of a key; nil for a random one.
    private func line(of key: Key?) throws -> SecretBytes {
        let raw: SecretBytes
        switch key?.material {
        case .passphrase(let passphrase): return passphrase
        case .raw(let given, salt: nil): raw = given
        case nil: raw = .random(count: Cryptography.keyLength)
        default:
            throw StrongroomError(.invalidKey, "Such a key cannot be a line of a key file; nothing was changed.")
        }
        let prefix = Array("raw:".utf8)
        return SecretBytes(count: prefix.count + 2 * raw.count) { line in
            line.copyBytes(from: prefix)
            raw.withUnsafeBytes { line.writeHexadecimal($0, at: prefix.count) }
        }
    }

    private func write(
        _ line: SecretBytes, after content: [UInt8] = [], by temporary: String,
        rename: (_ temporary: PlainFile) throws -> Void
    ) throws {
        var bytes: [UInt8] = []
        // Reserved at once, so that growing the array leaves no copy behind.
        bytes.reserveCapacity(KeyText.largest + line.count + Self.lineEnds)
        defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
        bytes.append(contentsOf: content)
        if let last = content.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        line.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\n"))
        // A key that is in the file already, or cannot be the current one, is refused.
        _ = try text.keyChain(bytes)
        let file = try PlainFile(creating: temporary)
        do {
            try file.write(bytes, at: 0)
            try file.synchronize()
            try rename(file)
            try FileSystem.settle(path)
        } catch {
            // The first failure is the one to report.
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    private func requireOwn() throws {
        guard access == .owner else {
            throw refusal(
                "is the platform's, which mounts it, and is not written here; change the secret from which it comes")
        }
    }

    private var alreadyThere: StrongroomError {
        StrongroomError(
            .exists,
            """
            "\(path)" already exists, and is not overwritten: a database may need its keys. Use another path, or \
            append to it.
            """
        )
    }
}
