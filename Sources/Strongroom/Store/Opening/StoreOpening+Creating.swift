/// Makes what is opened.
extension StoreOpening {
    /// Makes a database in memory.
    ///
    /// It belongs to the connection that made it, so there is one, with which those who read and those who write take
    /// turns.
    func makeInMemory() throws -> (DatabaseKeys, UnlockedFile) {
        _ = try EngineFeatures.current()
        let connection = try Connection(path: context.path, mode: .create, database: context.file.name)
        try connection.silenceLog()
        try connection.configure(as: .sole, of: context.file)
        return (DatabaseKeys(context.file, trying: [], []), UnlockedFile(derivedKey: nil, connection: connection))
    }

    /// Makes the file under another name and puts it in place when its schema is complete, so that a crash leaves
    /// either no file or a whole one.
    func makeFile(_ chain: KeyChain, _ report: inout OpenReport) throws -> (DatabaseKeys, UnlockedFile) {
        guard try !context.file.hasLog() else { throw logWithoutFile }
        var keys = try context.databaseKeys(chain, salt: nil)
        try removeTemporary()
        // An envelope that is made for it is on the disk before the file is.
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
            // What failed first counts.
            try? removeTemporary()
            throw error
        }
    }

    private func make(_ derivedKey: DerivedKey?, _ report: inout OpenReport) throws {
        let new = try PlainFile(making: context.file.temporaryPath)
        try fill(new, derivedKey, &report)
        try new.synchronize()
        // Its descriptor is closed before the engine opens the file in its place, whose locks that would drop.
        try new.moveIntoPlace(context.path)
    }

    private func fill(_ new: PlainFile, _ derivedKey: DerivedKey?, _ report: inout OpenReport) throws {
        var made = context.file
        made.path = made.temporaryPath
        let connection = try made.connect(.existing, key: derivedKey)
        defer { connection.close() }
        try new.requireOpened(by: connection)
        // A journal would have a name that another program may take; what is not finished is thrown away.
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
            There is no "\(context.path)", but beside it lies the log of a database that was there, \
            "\(context.path)-wal" or "\(context.path)-journal". Put the file back, or move the log away if a new \
            database is to be made.
            """,
            database: context.name.fileName
        )
    }
}
