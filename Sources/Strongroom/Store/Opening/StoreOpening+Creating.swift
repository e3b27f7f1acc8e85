/// Creates what is opened.
extension StoreOpening {
    /// Creates the database, in its file or in memory, with the schema of its migrator.
    func create(_ chain: KeyChain, _ report: inout OpenReport) throws -> (DatabaseKeys, UnlockedFile) {
        report.outcome = .created
        guard !context.isInMemory else { return try createInMemory() }
        var keys = try context.databaseKeys(chain, salt: nil)
        let unlocked = try keys.createFile { connection in
            try migrate(connection, context.migrator?.plan(for: connection), nil, &report)
            try recordName(connection, nil, report)
        }
        return (keys, unlocked)
    }

    /// A database in memory belongs to the connection that created it, so reads and writes share that one connection.
    private func createInMemory() throws -> (DatabaseKeys, UnlockedFile) {
        _ = try EngineFeatures.current()
        let connection = try Connection(path: context.path, mode: .create, database: context.file.name)
        try connection.silenceLog()
        try connection.install(context.file.functions)
        try connection.configure(as: .inMemory, of: context.file)
        return (DatabaseKeys(context.file, trying: [], []), UnlockedFile(derivedKey: nil, connection: connection))
    }
}
