/// Puts a finished file in a database's place; the lock between processes is held, and this process has no connection to the file.
struct FileReplacement {
    let opening: StoreOpening
    /// The finished file, beside the database.
    let path: String

    /// Puts it there, at one stroke.
    ///
    /// - Parameters:
    ///   - content: What lies at the database's path.
    ///   - keys: What opens that.
    /// - Throws: ``StrongroomError`` with `locked` when somebody else has the database open, `wrongKey`, `damaged`, or the file
    ///   system's failure. The database is as it was then, unless the failure says that the file is in its place.
    func run(_ content: FileContent, _ keys: FileKeys) throws {
        guard content != .absent else {
            guard try !opening.file.hasLog() else { throw logIsLeft }
            try FileSystem.moveIntoPlace(path, opening.path)
            return try FileSystem.settle(opening.path)
        }
        let connection = try whole(content, keys)
        defer { connection.close() }
        // Without it the engine would play the old file's log into the new one.
        try connection.mergeLog {}
        try opening.file.removeSpentJournal()
        try FileSystem.replace(opening.path, with: path)
        try FileSystem.settle(opening.path)
    }

    /// A connection that has the file alone.
    private func whole(_ content: FileContent, _ keys: FileKeys) throws -> Connection {
        var key: DerivedKey?
        if case .encrypted(let salt, let size) = content {
            let choice = try keys.find(salt: salt, size: size)
            choice.connection.close()
            key = choice.derived
        }
        guard let connection = try opening.file.connectAlone(key: key) else {
            throw opening.file.heldByOthers(for: "restored")
        }
        return connection
    }

    private var logIsLeft: StrongroomError {
        StrongroomError(
            .fileMissing,
            """
            There is no «\(opening.path)», but beside it lies its log, which the engine would play into what is restored. Move away \
            «\(opening.path)-wal» and «\(opening.path)-journal», then restore.
            """,
            database: opening.file.name
        )
    }
}
