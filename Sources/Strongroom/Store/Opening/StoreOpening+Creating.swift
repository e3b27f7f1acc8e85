/// Creates what is opened.
extension StoreOpening {
    /// Creates a database in memory.
    ///
    /// It belongs to the connection that created it, so reads and writes share that one connection.
    func makeInMemory() throws -> (DatabaseKeys, UnlockedFile) {
        _ = try EngineFeatures.current()
        let connection = try Connection(path: context.path, mode: .create, database: context.file.name)
        try connection.silenceLog()
        try connection.install(context.file.functions)
        try connection.configure(as: .inMemory, of: context.file)
        return (DatabaseKeys(context.file, trying: [], []), UnlockedFile(derivedKey: nil, connection: connection))
    }

    /// Creates the file under a temporary name and renames it when its schema is complete, so that a crash leaves
    /// either no file or a complete one.
    func makeFile(_ chain: KeyChain, _ report: inout OpenReport) throws -> (DatabaseKeys, UnlockedFile) {
        guard try !context.file.hasLog() else { throw logWithoutFile }
        var keys = try context.databaseKeys(chain, salt: nil)
        try removeTemporary()
        // Its envelope, if there is one, is written to the disk before the file.
        let derivedKey = try keys.forNewFile()
        do {
            try make(derivedKey, &report)
            try FileSystem.synchronize(FileSystem.directory(of: context.path))
            let connection = try context.file.connect(.existing, key: derivedKey)
            try connection.proveKey()
            let position = keys.envelope?.position ?? (derivedKey == nil ? nil : keys.lastPosition)
            let unlocked = UnlockedFile(
                position: position, isWrapped: keys.envelope != nil, derivedKey: derivedKey, connection: connection)
            return (keys, unlocked)
        } catch {
            // The first failure is the one to report.
            try? removeTemporary()
            throw error
        }
    }

    private func make(_ derivedKey: DerivedKey?, _ report: inout OpenReport) throws {
        let new = try PlainFile(making: context.file.temporaryPath)
        try fill(new, derivedKey, &report)
        try new.synchronize()
        // Its descriptor is closed before the engine opens the file, since closing it later would drop the engine's
        // locks.
        try new.moveIntoPlace(context.path)
    }

    private func fill(_ new: PlainFile, _ derivedKey: DerivedKey?, _ report: inout OpenReport) throws {
        var made = context.file
        made.path = made.temporaryPath
        let connection = try made.connect(.existing, key: derivedKey)
        defer { connection.close() }
        try new.requireOpened(by: connection)
        // A journal would have a name that another program may use; an unfinished file is discarded.
        _ = try connection.ownValue("PRAGMA journal_mode = MEMORY")
        try connection.configure(as: .maker, of: made)
        // A file without a table would stay empty, and an empty file counts as a loss.
        try connection.inTransaction(.exclusive) {
            try connection.run("CREATE TABLE strongroom_file (created)")
            try connection.run("DROP TABLE strongroom_file")
        }
        try migrate(connection, context.migrator?.plan(for: connection), nil, &report)
    }

    private func removeTemporary() throws {
        try FileSystem.removeCopy(context.file.temporaryPath)
    }

    private var logWithoutFile: StrongroomError {
        StrongroomError(
            .fileMissing,
            """
            There is no "\(context.path)", but the log of a former database exists, "\(context.path)-wal" or \
            "\(context.path)-journal". Restore the file, or move the log away if a new database is to be created.
            """,
            database: context.name.fileName
        )
    }
}
