/// The files that this process has open, in any registry.
///
/// Two stores on one file would each have a writer, and reading the file's header for the second would drop the POSIX
/// locks that the engine holds for the first.
final class OpenFiles: Sendable {
    static let shared = OpenFiles()

    private struct Holder {
        let path: String
        let name: DatabaseName
        var identity: FileStatus.Identity?
        /// Whether a connection has the file open, so that no other file can get its identity.
        var isOpen = false

        /// Whether it is the file with an identity. While no connection has it open, it may be removed, and another
        /// file may get its identity.
        func isFile(_ wanted: FileStatus.Identity) -> Bool {
            identity == wanted && (isOpen || (try? FileStatus.at(path)?.identity) == wanted)
        }
    }

    /// The endings of the files that the engine, and an envelope, keep beside a database.
    private static let sideFileEndings =
        (SideFiles.engineEndings + SideFiles.envelopeEndings).map { Array($0.utf8) }

    /// The holders, by path. Paths are compared by bytes: a file system distinguishes a composed and a decomposed é,
    /// `String` does not.
    private let files = Locked<[[UInt8]: Holder]>([:])

    /// Registers a file that is about to be opened.
    ///
    /// - Throws: ``StrongroomError`` with `alreadyOpen` if the path, or the same file under another path, is already
    ///   open, `invalidName` if one of the two paths is that of a side file of the other.
    func claim(_ path: String, _ name: DatabaseName) throws {
        ReplacedFile.prune()
        let identity = try FileStatus.at(path)?.identity
        let bytes = Array(path.utf8)
        let (sameFile, related) = files.withLock { files in
            let sameFile = files[bytes] ?? identity.flatMap { wanted in files.values.first { $0.isFile(wanted) } }
            let related = Self.holder(relatedTo: bytes, in: files)
            if sameFile == nil, related == nil { files[bytes] = Holder(path: path, name: name, identity: identity) }
            return (sameFile, related)
        }
        if let related {
            throw StrongroomError(
                .invalidName,
                """
                "\(path)" cannot be opened while "\(related.path)" is open: one of the two has the name of the WAL, \
                the rollback journal or the envelope of the other. Move the database to another path.
                """,
                database: name.fileName
            )
        }
        guard let sameFile else { return }
        throw StrongroomError(
            .alreadyOpen,
            """
            The file "\(path)" is already open in this process, as "\(sameFile.name)" at "\(sameFile.path)". Open it \
            by one name and from one registry, or close it first.
            """,
            database: name.fileName
        )
    }

    /// The holder of a file that belongs to the database at a path, or of the database that the path belongs to.
    private static func holder(relatedTo path: [UInt8], in files: [[UInt8]: Holder]) -> Holder? {
        for ending in sideFileEndings {
            if let holder = files[path + ending] { return holder }
            guard path.suffix(ending.count).elementsEqual(ending) else { continue }
            if let holder = files[Array(path.dropLast(ending.count))] { return holder }
        }
        return nil
    }

    /// Records the identity of the file at a path, after it was created.
    func identify(_ path: String) throws {
        let identity = try FileStatus.at(path)?.identity
        files.withLock { files in
            files[Array(path.utf8)]?.identity = identity
            files[Array(path.utf8)]?.isOpen = true
        }
    }

    /// The identity of a file that a store has open; nil for others.
    func identity(of path: String) -> FileStatus.Identity? {
        files.withLock { files in
            guard let holder = files[Array(path.utf8)], holder.isOpen else { return nil }
            return holder.identity
        }
    }

    /// Records that the connections to a file are about to be closed: from then on it may be removed, and another file
    /// may get its identity.
    func markClosing(_ path: String) {
        files.withLock { $0[Array(path.utf8)]?.isOpen = false }
    }

    func release(_ path: String) {
        files.withLock { $0[Array(path.utf8)] = nil }
    }
}
