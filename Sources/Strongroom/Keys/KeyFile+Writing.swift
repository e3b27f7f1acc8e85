import Foundation

/// Making and lengthening key files.
extension KeyFile {
    /// Makes the file, with one random raw key in it, for the owner alone.
    ///
    /// ```swift
    /// try KeyFile("/etc/inventory/keys").create()
    /// ```
    ///
    /// - Throws: ``StrongroomError`` with `keyFile` when something lies there already, which is not touched; `notAFile`
    ///   for a link to nothing; `permissionDenied`, `diskFull`.
    public func create() throws {
        guard try !exists() else { throw alreadyThere }
        try FileSystem.createDirectories(FileSystem.directory(of: path))
        do {
            // Whoever makes it has no lock, so each has a file of its own beside it.
            try write(by: "\(path).\(UInt32.random(in: 0...UInt32.max)).new") { _ in
            } place: {
                try $0.moveIntoPlace(path)
            }
        } catch let error as StrongroomError where error.code == .notAFile {
            // Somebody made it meanwhile, or a link to nothing lies there.
            throw try exists() ? alreadyThere : error
        }
    }

    /// Adds a random raw key at the end, which is the current one from then on. Whoever reads the file meanwhile gets
    /// the keys from before or those from after. Owner and permissions stay. A process that is killed meanwhile leaves
    /// `.NAME.new` with the keys, for nobody else than may read the key file, which the next one that adds a key
    /// removes.
    ///
    /// ```swift
    /// let place = try KeyFile("/etc/inventory/keys").appendKey()
    /// ```
    ///
    /// - Returns: How many keys the file has now.
    /// - Throws: ``StrongroomError`` as ``keyChain(creating:)``; the file is as it was then, unless the error says that
    ///   it is in its place.
    @discardableResult
    public func appendKey() throws -> Int {
        let target = KeyFile(try FileSystem.resolve(path))
        guard let lock = try FileLock.take(FileSystem.companion(of: target.path, "lock")) else {
            throw StrongroomError(
                .locked, "Another process is changing the key file \"\(path)\". Wait for it, then try again.")
        }
        let count = try target.withContent { content, status in try target.append(to: content, status, as: path) }
        // The key is in the file, whatever becomes of this.
        try? FileSystem.remove(FileSystem.companion(of: target.path, "lock"))
        lock.release()
        return count
    }

    /// - Parameter name: What the caller calls the file.
    /// - Returns: How many keys there are now.
    private func append(to content: [UInt8], _ status: FileStatus, as name: String) throws -> Int {
        // It must be in order first: a key behind a line that cannot be used would not be found.
        let count = try text.keyChain(content).count
        guard content.count + Self.lineLength < KeyText.largest else {
            throw StrongroomError(
                .keyFile, "The key file \"\(name)\" is full; remove keys at its beginning that no file needs any more.")
        }
        // The same each time: what a killed process has left has all keys in it, and goes now.
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

    /// - Parameter temporary: Where the file is written before it is put in its place.
    private func write(
        by temporary: String, _ prepare: (inout [UInt8]) -> Void, place: (_ temporary: PlainFile) throws -> Void
    ) throws {
        var bytes: [UInt8] = []
        // At once, so that no part is left behind where the array was before it grew.
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
            // What failed first counts.
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    private var alreadyThere: StrongroomError {
        StrongroomError(
            .keyFile,
            """
            Something lies at "\(path)" already, and is not overwritten: a database may need its keys. Give another \
            path, or append to it.
            """
        )
    }
}
