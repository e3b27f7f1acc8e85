/// A file that contains the keys of a chain, one per line, oldest first.
///
/// A line is a passphrase, `raw:` and 64 hexadecimal digits, `recovery:` and a recovery key, or `share:` and a share of
/// one, whose other shares are in other lines; a private key of X25519 is PEM, in several lines, beside which there are
/// no passphrases. Empty lines are ignored. Only the owner may have access (mode 0600 or 0400), and the owner must be
/// the user of the process or root: another user who can write the file could replace the keys. A file that a platform
/// mounts has other rules, see ``Access/mounted``.
///
/// ```swift
/// let chain = try KeyFile("/etc/inventory/keys").keyChain(creating: true)
/// ```
public struct KeyFile: Sendable {
    /// Who besides its owner may have access to a key file.
    public enum Access: Hashable, Sendable {
        /// Nobody: mode 0600 or 0400. For a file of your own.
        case owner

        /// Whom the platform lets that mounts it, as long as nobody but root and the user of the process can write or
        /// replace it. For a secret of systemd, Kubernetes or Docker.
        ///
        /// The file, the directories on its path and the symbolic links that are followed belong to root or the user
        /// of the process. No other user can write the file or one of these directories, sticky or not, by its mode or
        /// its POSIX access list; the directories of a read-only mount count as not writable. Other users may read the
        /// file only if one of the directories keeps them out, or, without being named in its access list, if the
        /// mount is read-only, such as that of a container. The file is never created or changed. On Apple platforms
        /// access lists are ignored.
        case mounted
    }

    /// The file's path.
    public let path: String
    /// Who besides its owner may have access to it.
    public let access: Access

    /// Refers to a key file; reads nothing yet.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - access: Who besides its owner may have access to it.
    public init(_ path: String, access: Access = .owner) {
        (self.path, self.access) = (path, access)
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
    /// - Throws: ``StrongroomError`` with `fileMissing`, `permissionDenied`, or `keySource` if others than ``access``
    ///   allows have access, if the owner is neither the user of the process nor root, if it is not a regular file, is
    ///   too large, is not UTF-8, or contains no key or an invalid one, and if a missing file is ``Access/mounted`` and
    ///   to be created.
    public func keyChain(creating: Bool = false) throws -> KeyChain {
        if creating, try !exists() { try createIfMissing() }
        return try withContent { content in try text.keyChain(content) }
    }

    var text: KeyText { KeyText(refusal: refusal) }

    /// Reads the file through the descriptor whose status is checked.
    ///
    /// - Parameter body: Called with the content, which is wiped afterwards.
    package func withContent<T>(_ body: (_ content: [UInt8]) throws -> T) throws -> T {
        let file = try access == .owner ? owned() : mounted()
        var content = try file.bytes(at: 0, KeyText.largest + 1)
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        // It may have grown since its size was read.
        guard content.count <= KeyText.largest else { throw tooLarge(content.count) }
        return try body(content)
    }

    /// Opens the file if nobody but its owner has access.
    private func owned() throws -> PlainFile {
        try requireRegular(FileStatus.at(path))
        let file = try opened(path)
        let status = try file.status()
        try checkOwner(status)
        guard status.permissions & 0o077 == 0 else {
            throw refusal("can be used by others than its owner. \(advice(or: "Run: chmod 600 '\(path)'"))")
        }
        guard status.size <= KeyText.largest else { throw tooLarge(Int(status.size)) }
        return file
    }

    /// - Parameter status: The file's status; nil if there is none.
    func requireRegular(_ status: FileStatus?) throws {
        guard let status else {
            let advice = access == .owner ? "make one, or correct the path" : "check what the platform mounts"
            throw StrongroomError(.fileMissing, "There is no key file at \"\(path)\"; \(advice).")
        }
        guard status.isRegularFile else { throw refusal("is not a regular file; give the path of a file") }
    }

    /// Opens the file.
    ///
    /// - Parameter target: Its path, which is that of a regular file and no link if the file is mounted.
    func opened(_ target: String) throws -> PlainFile {
        do {
            return try PlainFile(target, followsLinks: access == .owner)
        } catch let error as StrongroomError where error.code == .permissionDenied {
            // Another user's file usually cannot be opened either.
            if let status = try FileStatus.at(target) { try checkOwner(status) }
            guard let advice = Self.advice(onMountOf: path) else { throw error }
            throw StrongroomError(.permissionDenied, "\(error.message) \(advice).")
        }
    }

    func checkOwner(_ status: FileStatus) throws {
        guard ![0, FileStatus.user].contains(status.owner) else { return }
        let command = "Run the program as that user, or change the owner: chown \(FileStatus.user) '\(path)'"
        throw refusal(
            """
            belongs to user \(status.owner), and this process runs as user \(FileStatus.user): the owner decides with \
            which keys databases are encrypted. \(advice(or: command))
            """)
    }

    /// What to do about the file's owner or mode.
    ///
    /// - Parameter command: What helps where the process can change them.
    func advice(or command: String) -> String { Self.advice(onMountOf: path) ?? command }

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

    func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(.keySource, "The key file \"\(path)\" \(reason).")
    }
}
