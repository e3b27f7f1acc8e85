/// A file that holds the keys of a chain, one a line, oldest first.
///
/// A line is a passphrase, or `raw:` and 64 hexadecimal digits. Empty lines do not count. Only the owner may have access
/// (mode 0600 or 0400).
///
/// ```swift
/// let chain = try KeyFile("/etc/inventory/keys").keyChain(creating: true)
/// ```
public struct KeyFile: Sendable {
    /// Where the file lies.
    public let path: String

    /// Names a key file; nothing is read yet.
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
    /// - Parameter creating: Whether a file that is not there is made, with one random raw key in it.
    /// - Returns: The chain.
    /// - Throws: ``StrongroomError`` with `fileMissing`, `permissionDenied`, or `keyFile` when others than the owner have
    ///   access, when it is no regular file, too large, no UTF-8, or holds no key or one that cannot be used.
    public func keyChain(creating: Bool = false) throws -> KeyChain {
        if creating, try !exists() { try createUnlessThere() }
        guard let status = try FileStatus.at(path) else {
            throw StrongroomError(.fileMissing, "There is no key file at «\(path)»; make one, or correct the path.")
        }
        try check(status)
        var content = try FileSystem.firstBytes(of: path, KeyText.largest + 1)
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        // It may have grown since it was looked at.
        guard content.count <= KeyText.largest else { throw tooLarge(content.count) }
        return try KeyText(refusal: refusal).keyChain(content)
    }

    private func check(_ status: FileStatus) throws {
        guard status.isRegularFile else { throw refusal("is not a regular file; give the path of a file") }
        guard status.permissions & 0o077 == 0 else {
            throw refusal("can be used by others than its owner; run: chmod 600 '\(path)'")
        }
        guard status.size <= KeyText.largest else { throw tooLarge(Int(status.size)) }
    }

    private func tooLarge(_ size: Int) -> StrongroomError {
        refusal("has \(size) bytes or more, and at most \(KeyText.largest) are read; is it the right file?")
    }

    private func createUnlessThere() throws {
        do {
            try create()
        } catch {
            // Another process was first: its keys count.
            if try !exists() { throw error }
        }
    }

    private func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(.keyFile, "The key file «\(path)» \(reason).")
    }
}
