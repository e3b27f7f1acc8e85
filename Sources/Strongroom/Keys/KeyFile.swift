/// A file that contains the keys of a chain, one per line, oldest first.
///
/// A line is a passphrase, `raw:` and 64 hexadecimal digits, or `recovery:` and a recovery key. Empty lines are
/// ignored. Only the owner may have access (mode 0600 or 0400), and the owner must be the user of the process or root:
/// another user who can write the file could replace the keys.
///
/// ```swift
/// let chain = try KeyFile("/etc/inventory/keys").keyChain(creating: true)
/// ```
public struct KeyFile: Sendable {
    /// The file's path.
    public let path: String

    /// Refers to a key file; reads nothing yet.
    ///
    /// - Parameter path: The file's path.
    public init(_ path: String) {
        self.path = path
    }

    /// Whether there is a file.
    ///
    /// - Throws: ``StrongroomError`` with `permissionDenied` when its directory cannot be searched.
    public func exists() throws -> Bool {
        try FileStatus.at(path) != nil
    }

    /// Reads the keys.
    ///
    /// - Parameter creating: Whether a missing file is created, with one random raw key.
    /// - Returns: The chain.
    /// - Throws: ``StrongroomError`` with `fileMissing`, `permissionDenied`, or `keySource` if others than the owner
    ///   have access, if the owner is neither the user of the process nor root, if it is not a regular file, is too
    ///   large, is not UTF-8, or contains no key or an invalid one.
    public func keyChain(creating: Bool = false) throws -> KeyChain {
        if creating, try !exists() { try createIfMissing() }
        return try withContent { content in try text.keyChain(content) }
    }

    var text: KeyText { KeyText(refusal: refusal) }

    /// Reads the file through the descriptor whose status is checked.
    ///
    /// - Parameter body: Called with the content, which is wiped afterwards.
    func withContent<T>(_ body: (_ content: [UInt8]) throws -> T) throws -> T {
        guard let existing = try FileStatus.at(path) else {
            throw StrongroomError(.fileMissing, "There is no key file at \"\(path)\"; create one, or correct the path.")
        }
        guard existing.isRegularFile else { throw refusal("is not a regular file; give the path of a file") }
        let file = try opened()
        try check(file.status())
        var content = try file.bytes(at: 0, KeyText.largest + 1)
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        // It may have grown since its size was read.
        guard content.count <= KeyText.largest else { throw tooLarge(content.count) }
        return try body(content)
    }

    private func opened() throws -> PlainFile {
        do {
            return try PlainFile(path)
        } catch let error as StrongroomError where error.code == .permissionDenied {
            // Another user's file usually cannot be opened either.
            if let status = try FileStatus.at(path) { try checkOwner(status) }
            throw error
        }
    }

    private func checkOwner(_ status: FileStatus) throws {
        guard ![0, FileStatus.user].contains(status.owner) else { return }
        throw refusal(
            """
            belongs to user \(status.owner), and this process runs as user \(FileStatus.user): the owner decides with \
            which keys databases are encrypted. Run the program as that user, or change the owner: \
            chown \(FileStatus.user) '\(path)'
            """)
    }

    private func check(_ status: FileStatus) throws {
        try checkOwner(status)
        guard status.permissions & 0o077 == 0 else {
            throw refusal("can be used by others than its owner; run: chmod 600 '\(path)'")
        }
        guard status.size <= KeyText.largest else { throw tooLarge(Int(status.size)) }
    }

    private func tooLarge(_ size: Int) -> StrongroomError {
        refusal("has \(size) bytes or more, and at most \(KeyText.largest) are read; is it the right file?")
    }

    private func createIfMissing() throws {
        do {
            try create()
        } catch {
            // Another process has created it first; its keys apply.
            if try !exists() { throw error }
        }
    }

    private func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(.keySource, "The key file \"\(path)\" \(reason).")
    }
}
