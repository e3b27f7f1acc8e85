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
        /// Whether a connection holds the file, so that no other one can get its identity.
        var isOpen = false

        /// Whether it is a file of an identity. Before it is opened it may be removed, and another file get what it had.
        func isFile(_ wanted: FileStatus.Identity) -> Bool {
            identity == wanted && (isOpen || (try? FileStatus.at(path)?.identity) == wanted)
        }
    }

    /// What the engine, and an envelope, puts beside a database.
    private static let companions = ["-wal", "-shm", "-journal", ".keys", ".keys.copy"]

    /// By the paths' bytes: a file system tells a composed and a decomposed é apart, `String` does not.
    private let files = Locked<[[UInt8]: Holder]>([:])

    /// Enters a file that is about to be opened.
    ///
    /// - Throws: ``StrongroomError`` with `sameFile` when the path, or the file under another path, is open already, or one of the two
    ///   paths is that of a file which belongs beside the other.
    func claim(_ path: String, _ name: DatabaseName) throws {
        let identity = try FileStatus.at(path)?.identity
        let bytes = Array(path.utf8)
        let holder = files.withLock { files in
            let twin =
                files[bytes]
                ?? files.values.first { holder in
                    (identity.map { holder.isFile($0) } ?? false)
                        || Self.isCompanion(path, of: holder.path) || Self.isCompanion(holder.path, of: path)
                }
            if twin == nil { files[bytes] = Holder(path: path, name: name, identity: identity) }
            return twin
        }
        guard let holder else { return }
        guard !Self.isCompanion(path, of: holder.path), !Self.isCompanion(holder.path, of: path) else {
            throw StrongroomError(
                .sameFile,
                """
                The engine keeps a log of its own beside a database, an envelope lies there, too, and of «\(path)» and «\(holder.path)», which is open, one would be \
                the other's. Give the database another path.
                """,
                database: name.fileName
            )
        }
        throw StrongroomError(
            .sameFile,
            """
            The file «\(path)» is open in this process already, as «\(holder.name)» at «\(holder.path)». Open it by one name and \
            from one registry, or close it first.
            """,
            database: name.fileName
        )
    }

    private static func isCompanion(_ path: String, of other: String) -> Bool {
        companions.contains { (other + $0).utf8.elementsEqual(path.utf8) }
    }

    /// Notes which file lies at a path, now that it is there.
    func identify(_ path: String) throws {
        let identity = try FileStatus.at(path)?.identity
        files.withLock { files in
            files[Array(path.utf8)]?.identity = identity
            files[Array(path.utf8)]?.isOpen = true
        }
    }

    /// Takes a file out.
    func release(_ path: String) {
        files.withLock { $0[Array(path.utf8)] = nil }
    }
}
