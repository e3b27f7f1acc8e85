/// Stores in memory.
extension Store {
    /// Makes a store in memory with some tables; for tests, and for what need not be kept.
    ///
    /// It belongs to no registry and needs no configuration. When it is closed, or nobody refers to it any more,
    /// everything in it is gone.
    ///
    /// ```swift
    /// let store = try await Store.inMemory(Contact.self, Phone.self)
    /// try await store.table(Contact.self).insert(contact)
    /// ```
    ///
    /// - Parameters:
    ///   - tables: The tables that it has.
    ///   - settings: How it behaves; where it lies, and what is said about files, does not count.
    /// - Returns: The store.
    /// - Throws: ``StrongroomError`` with `invalidMigrator` for tables that cannot stand in one database,
    ///   `invalidName`, `notSQLCipher`; `CancellationError` when the task is cancelled.
    public static func inMemory(
        _ tables: any Table.Type..., settings: StoreSettings = StoreSettings(storage: .memory)
    ) async throws -> Store {
        let configuration = TablesInMemory(
            migrator: Migrator.automatic(tables: tables.map { $0.schema }), settings: settings)
        var opening = try StoreOpening(DatabaseName(TablesInMemory.target), configuration, in: .memory)
        return try await opening.run()
    }

    /// Where the store's data lies.
    public var storage: Persistence { file.isInMemory ? .memory : .disk }

    /// The store, if it lies where it is wanted.
    func lying(in place: Persistence?) throws -> Store {
        guard let place, place != storage else { return self }
        let (found, wanted) = storage == .memory ? ("in memory", "on the disk") : ("on the disk", "in memory")
        throw StrongroomError(
            .sameFile,
            "\"\(name)\" is open already, \(found), and is asked for \(wanted). Close it first, or give another name.",
            database: name.fileName)
    }
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

extension Stores {
    /// Opens a database on the disk or in memory, whatever its configuration says.
    ///
    /// In memory it is made anew, with the configuration's migrator and settings; its keys are not asked for. Opening
    /// the name again gives the same store until it is closed.
    ///
    /// ```swift
    /// let store = try await stores.open("addressbook_test.sqlite", in: .memory)
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name.
    ///   - place: Where its data is to lie.
    /// - Returns: The store.
    /// - Throws: As ``open(_:)-(String)``; ``StrongroomError`` with `sameFile` when the name is open in the other
    ///   place.
    public func open(_ fileName: String, in place: Persistence) async throws -> Store {
        try await open(DatabaseName(fileName), in: place)
    }
}
