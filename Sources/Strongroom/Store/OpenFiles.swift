/// The files that this process has open, whatever registry opened them.
///
/// Two stores on one file would each have a writer, and reading the file's header for the second would drop the locks that the
/// engine holds for the first.
final class OpenFiles: Sendable {
    static let shared = OpenFiles()

    private struct Holder {
        let path: String
        let name: DatabaseName
        var identity: FileStatus.Identity?
    }

    /// What the engine puts beside a database.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// By the paths' bytes: a file system tells a composed and a decomposed é apart, `String` does not.
    private let files = Locked<[[UInt8]: Holder]>([:])

    /// Enters a file that is about to be opened.
    ///
    /// - Throws: ``StrongroomError`` with `sameFile` when the path, or the file under another path, is open already, or one of the two
    ///   paths is that of a file which the engine puts beside the other.
    func claim(_ path: String, _ name: DatabaseName) throws {
        let identity = try FileStatus.at(path)?.identity
        let bytes = Array(path.utf8)
        let holder = files.withLock { files in
            let twin =
                files[bytes]
                ?? files.values.first { holder in
                    (identity != nil && holder.identity == identity)
                        || Self.companions.contains { holder.path + $0 == path || path + $0 == holder.path }
                }
            if twin == nil { files[bytes] = Holder(path: path, name: name, identity: identity) }
            return twin
        }
        guard let holder else { return }
        throw StrongroomError(
            .sameFile,
            """
            The file «\(path)» is open in this process already, as «\(holder.name)» at «\(holder.path)». Open it by one name and \
            from one registry, or close it first.
            """,
            database: name.fileName
        )
    }

    /// Notes which file lies at a path, now that it is there.
    func identify(_ path: String) throws {
        let identity = try FileStatus.at(path)?.identity
        files.withLock { $0[Array(path.utf8)]?.identity = identity }
    }

    /// Takes a file out.
    func release(_ path: String) {
        files.withLock { $0[Array(path.utf8)] = nil }
    }
}
