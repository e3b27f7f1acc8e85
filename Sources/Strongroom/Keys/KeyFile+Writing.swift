import Foundation

/// Creating and extending key files.
extension KeyFile {
    /// Creates the file with one random raw key, accessible to the owner only.
    ///
    /// ```swift
    /// try KeyFile("/etc/inventory/keys").create()
    /// ```
    ///
    /// - Throws: ``StrongroomError`` with `keyFile` if something exists at the path, which is not changed; `notAFile`
    ///   for a dangling symbolic link; `permissionDenied`, `diskFull`.
    public func create() throws {
        guard try !exists() else { throw alreadyThere }
        try FileSystem.createDirectories(FileSystem.directory(of: path))
        do {
            // Creating takes no lock, so each process writes a temporary file of its own.
            try write(by: "\(path).\(UInt32.random(in: 0...UInt32.max)).new") { _ in
            } place: {
                try $0.moveIntoPlace(path)
            }
        } catch let error as StrongroomError where error.code == .notAFile {
            // Another process has created it meanwhile, or there is a dangling symbolic link.
            throw try exists() ? alreadyThere : error
        }
    }

    /// Appends a random raw key, which becomes the current one. A concurrent reader gets either the old keys or the new
    /// ones. Owner and permissions are kept. A process that is killed meanwhile leaves `.NAME.new` with the keys,
    /// readable only by users who may read the key file; the next call removes it.
    ///
    /// ```swift
    /// let count = try KeyFile("/etc/inventory/keys").appendKey()
    /// ```
    ///
    /// - Returns: The number of keys in the file now.
    /// - Throws: ``StrongroomError`` as ``keyChain(creating:)``; the file is then unchanged, unless the error says that
    ///   the new one is in its place.
    @discardableResult
    public func appendKey() throws -> Int {
        let target = KeyFile(try FileSystem.resolve(path))
        guard let lock = try FileLock.tryAcquire(FileSystem.companion(of: target.path, "lock")) else {
            throw StrongroomError(
                .locked, "Another process is changing the key file \"\(path)\". Wait for it, then try again.")
        }
        let count = try target.withContent { content, status in try target.append(to: content, status, as: path) }
        // The key is in the file, even if this fails.
        try? FileSystem.remove(FileSystem.companion(of: target.path, "lock"))
        lock.release()
        return count
    }

    /// - Parameter name: The file's name as the caller gave it.
    /// - Returns: The number of keys now.
    private func append(to content: [UInt8], _ status: FileStatus, as name: String) throws -> Int {
        // The file must be valid first: a key after an invalid line would not be found.
        let count = try text.keyChain(content).count
        guard content.count + Self.lineLength < KeyText.largest else {
            throw StrongroomError(
                .keyFile, "The key file \"\(name)\" is full; remove keys at its beginning that no file needs any more.")
        }
        // The same name each time: a file left by a killed process contains all keys and is removed now.
        let temporary = FileSystem.companion(of: path, "new")
        try FileSystem.remove(temporary)
        try write(by: temporary) { bytes in
            bytes.append(contentsOf: content)
            if content.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        } place: { file in
            try file.setAccess(like: status)
            try file.replace(path)
        }
        return count + 1
    }

    /// Bytes of a random key's line: `raw:`, the digits, two line ends.
    private static let lineLength = 70

    /// - Parameter temporary: The file that is written and then renamed.
    private func write(
        by temporary: String, _ prepare: (inout [UInt8]) -> Void, place: (_ temporary: PlainFile) throws -> Void
    ) throws {
        var bytes: [UInt8] = []
        // Reserved at once, so that growing the array leaves no copy behind.
        bytes.reserveCapacity(KeyText.largest + Self.lineLength)
        defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
        prepare(&bytes)
        bytes.append(contentsOf: "raw:".utf8)
        SecretBytes.random(count: Cryptography.keyLength).withUnsafeBytes { key in
            for byte in key {
                for digit in [byte >> 4, byte & 0xF] { bytes.append(digit + (digit < 10 ? 0x30 : 0x57)) }
            }
        }
        bytes.append(UInt8(ascii: "\n"))
        let file = try PlainFile(making: temporary)
        do {
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            try file.synchronize()
            try place(file)
            try FileSystem.settle(path)
        } catch {
            // The first failure is the one to report.
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    private var alreadyThere: StrongroomError {
        StrongroomError(
            .keyFile,
            """
            "\(path)" already exists, and is not overwritten: a database may need its keys. Use another path, or \
            append to it.
            """
        )
    }
}
