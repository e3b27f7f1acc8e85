/// Creates a database's file.
extension DatabaseKeys {
    /// Creates the file under a temporary name and renames it when its content is complete, so that a crash leaves
    /// either no file or a complete one.
    ///
    /// - Parameter fill: Writes the content through a connection to the file under its temporary name.
    /// - Throws: ``StrongroomError`` with `fileMissing` if the log of a former file exists, `fileChanged`, `diskFull`,
    ///   `permissionDenied`; what the closure throws.
    mutating func createFile(fill: (Connection) throws -> Void) throws -> UnlockedFile {
        guard try !file.hasLog() else { throw logWithoutFile }
        try removeTemporary()
        // Its envelope, if there is one, is written to the disk before the file.
        let derivedKey = try forNewFile()
        do {
            try create(derivedKey, fill)
            try FileSystem.synchronize(FileSystem.directory(of: file.path))
            return try unlocked(with: derivedKey)
        } catch {
            // The first failure is the one to report.
            try? removeTemporary()
            throw error
        }
    }

    /// Opens the file with the key that it was just written with.
    func unlocked(with derivedKey: DerivedKey?) throws -> UnlockedFile {
        let connection = try file.connect(.existing, key: derivedKey)
        try connection.proveKey()
        return UnlockedFile(
            position: envelope == nil ? derivedKey.map { _ in lastPosition } : envelope?.position,
            isWrapped: envelope != nil, derivedKey: derivedKey, connection: connection)
    }

    private func create(_ derivedKey: DerivedKey?, _ fill: (Connection) throws -> Void) throws {
        let new = try PlainFile(making: file.temporaryPath)
        try write(to: new, derivedKey, fill)
        try new.synchronize()
        // Its descriptor is closed before the engine opens the file, since closing it later would drop the engine's
        // locks.
        try new.moveIntoPlace(file.path)
    }

    private func write(to new: PlainFile, _ derivedKey: DerivedKey?, _ fill: (Connection) throws -> Void) throws {
        var temporary = file
        temporary.path = file.temporaryPath
        let connection = try temporary.connect(.existing, key: derivedKey)
        defer { connection.close() }
        try new.requireOpened(by: connection)
        // A journal would have a name that another program may use; an unfinished file is discarded.
        _ = try connection.ownValue("PRAGMA journal_mode = MEMORY")
        try connection.configure(as: .maker, of: temporary)
        // A file without a table would stay empty, and an empty file counts as a loss.
        try connection.inTransaction(.exclusive) {
            try connection.run("CREATE TABLE strongroom_file (created)")
            try connection.run("DROP TABLE strongroom_file")
        }
        try fill(connection)
    }

    private func removeTemporary() throws {
        try FileSystem.removeCopy(file.temporaryPath)
    }

    private var logWithoutFile: StrongroomError {
        StrongroomError(
            .fileMissing,
            """
            There is no "\(file.path)", but the log of a former database exists, \
            \(file.sideFiles.logs.map { "\"\($0)\"" }.joined(separator: " or ")). Restore the file, or move the log \
            away if a new database is to be created.
            """,
            database: file.name
        )
    }
}
