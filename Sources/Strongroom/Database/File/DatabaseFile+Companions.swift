/// The files that lie beside a database.
extension DatabaseFile {
    /// Throws when the engine would follow a link, wait for the other end of a FIFO or open a device where it keeps its
    /// logs.
    ///
    /// To be called before the engine opens the file. Whoever may write to the directory can still put one there in the
    /// moment between.
    ///
    /// - Throws: ``StrongroomError`` with `notAFile`.
    func requireOwnLogs() throws {
        for ending in ["-wal", "-journal", "-shm"] { try requireRegular(path + ending) }
    }

    /// The files that the library keeps beside a database, by what stands behind the dot and the database's name.
    static let companions = [
        "new", "rotating", "plaintext", "restoring", "restored", "snapshot.new", "trial", "trial.lock", "keys.new",
        "keys.copy.new",
    ]

    /// Throws when anything but a regular file has the name of one that belongs to the database, whether the engine's
    /// or the library's.
    ///
    /// - Throws: As ``requireOwnLogs()``.
    func requireOwnCompanions() throws {
        try requireOwnLogs()
        for ending in [".keys", ".keys.copy"] { try requireRegular(path + ending) }
        for companion in ["lock"] + Self.companions { try requireRegular(FileSystem.companion(of: path, companion)) }
    }

    private func requireRegular(_ path: String) throws {
        do { try FileSystem.requireRegular(path) } catch let error as StrongroomError { throw error.naming(name) }
    }

    /// What the names of snapshots begin with, behind the file's own.
    static let snapshotEnding = "snapshot-"

    /// Whether a snapshot lies beside the file, which has the key and the content that the file had then.
    func hasSnapshots() throws -> Bool {
        let beginning = FileSystem.name(of: FileSystem.companion(of: path, Self.snapshotEnding))
        return try FileSystem.names(in: FileSystem.directory(of: path)).contains {
            $0.utf8.starts(with: beginning.utf8)
        }
    }
}
