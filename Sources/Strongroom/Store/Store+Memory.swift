/// Stores in memory.
extension Store {
    /// Creates a store in memory with some tables; for tests, and for data that is not kept.
    ///
    /// It belongs to no registry and needs no configuration. Its content is discarded when it is closed or
    /// deinitialized.
    ///
    /// ```swift
    /// let store = try await Store.inMemory(Contact.self, Phone.self)
    /// try await store.write { try Contact.insert(contact, in: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - tables: The tables to create.
    ///   - settings: The settings; `storage` and the settings for files have no effect.
    /// - Returns: The store.
    /// - Throws: ``StrongroomError`` with `invalidMigrator` for tables that cannot coexist in one database,
    ///   `invalidName`, `notSQLCipher`; `CancellationError` if the task is cancelled.
    public static func inMemory(
        _ tables: any Table.Type..., settings: StoreSettings = StoreSettings(storage: .memory)
    ) async throws -> Store {
        var settings = settings
        settings.storage = .memory
        let configuration = TablesInMemory(
            migrator: Migrator.automatic(tables: tables.map { $0.schema }), settings: settings)
        return try await opened(StoreOpening(DatabaseName(TablesInMemory.target), configuration))
    }

    /// A store in memory without tables, with the functions of this one. The integer keys that it generates are
    /// negative, so that none is one that the engine generates for a row of this store.
    package func emptyInMemory() async throws -> Store {
        let configuration = TablesInMemory(
            migrator: Migrator.automatic(tables: []), settings: StoreSettings(storage: .memory))
        var opening = try StoreOpening(DatabaseName(TablesInMemory.target), configuration)
        opening.context.file.functions = functions
        let store = try await Self.opened(opening)
        try await store.pool.perform(.write) { $0.makesRowIDs = true }
        return store
    }

    private static func opened(_ opening: StoreOpening) async throws -> Store {
        var opening = opening
        return try await withTaskExecutorPreference(TaskThread("strongroom.open")) {
            defer { DedicatedThread.end() }
            return try await opening.run()
        }
    }

    /// Where the store keeps its data.
    public var storage: Persistence { file.isInMemory ? .memory : .disk }
}

/// The configuration of a store that belongs to no registry.
private struct TablesInMemory: Configuration {
    static let target = "memory"
    let migrator: Migrator
    let settings: StoreSettings

    func keyChain(for database: DatabaseName) async throws -> KeyChain { .plaintext }
    func migrator(for database: DatabaseName) throws -> Migrator? { migrator }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
}
