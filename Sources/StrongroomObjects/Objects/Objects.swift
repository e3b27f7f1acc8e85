import Strongroom

/// The storage of a type's objects: the current transaction of the thread, or a store.
enum Objects<Source: Table> {
    /// The tables that an operation accesses.
    enum Reach {
        case own
        /// The tables of the relations, recursively.
        case cascading
        /// The table of one relation.
        case relation([any Table.Type])

        init(_ cascading: Bool) { self = cascading ? .cascading : .own }
    }

    static var database: String { Source.databaseName ?? Stores.defaultDatabaseName }

    /// The store, opened if necessary, with the type's table.
    ///
    /// - Parameters:
    ///   - reach: The other tables that are needed.
    ///   - isReading: Whether they are only read.
    static func store(_ reach: Reach = .own, isReading: Bool = false) async throws -> Store {
        let store = try await Stores.current.open(database)
        try await store.prepare(try tables(reach), isReading: isReading)
        return store
    }

    private static func tables(_ reach: Reach) throws -> [any Table.Type] {
        switch reach {
        case .own: return [Source.self]
        case .cascading: return try Source.tablesInReach(isStrict: true)
        case .relation(let tables): return tables
        }
    }

    static func read<T: Sendable>(
        _ reach: Reach = .own, _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> T
    ) async throws -> T {
        try await store(reach, isReading: true).read { db in try body(db) }
    }

    static func write<T: Sendable>(
        _ reach: Reach = .own, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await store(reach).write { db in try body(db) }
    }

    /// Writes with a value that the closure may change; unchanged if the write fails or is rolled back.
    static func write<Changed: Sendable, T: Sendable>(
        _ value: inout Changed, _ reach: Reach,
        _ body: @escaping @Sendable (borrowing WriteTransaction, inout Changed) throws -> T
    ) async throws -> T {
        try await store(reach).write(&value) { db, value in try body(db, &value) }
    }

    // MARK: On the current thread

    /// Reads in the current transaction of the thread; outside of any, in a new one.
    static func readNow<T>(
        _ reach: Reach = .own, _ body: (borrowing ReadTransaction) throws -> T
    ) throws -> T {
        let tables = try tables(reach)
        if let transaction = try transaction() { return try transaction.read(tables, body) }
        let store = try Stores.current.openStore(database)
        // Created in a separate transaction: a read transaction cannot create tables.
        if !store.isPrepared(tables) { try store.write { db in try store.prepare(tables, in: db) } }
        return try store.read { db in try body(db) }
    }

    /// Writes in the current transaction of the thread; outside of any, in a new one.
    static func writeNow<T>(
        _ reach: Reach = .own, _ body: (borrowing WriteTransaction) throws -> T
    ) throws -> T {
        let tables = try tables(reach)
        if let transaction = try transaction() {
            guard transaction.mayWrite else { throw isReading }
            return try transaction.write(tables, body)
        }
        let store = try Stores.current.openStore(database)
        return try store.write { db in
            try store.prepare(tables, in: db)
            return try body(db)
        }
    }

    /// Writes as `writeNow`, with a value that the closure may change; unchanged if the write fails or is rolled back.
    static func writeNow<Changed, T>(
        _ value: inout Changed, _ reach: Reach, _ body: (borrowing WriteTransaction, inout Changed) throws -> T
    ) throws -> T {
        // The commit may fail when the closure has succeeded.
        var copy = value
        let outcome = try writeNow(reach) { db in
            let outcome = try body(db, &copy)
            return (outcome, isKept: !db.isRolledBackLater)
        }
        if outcome.isKept { value = copy }
        return outcome.0
    }

    private static func transaction() throws -> JoinedTransaction? {
        if let transaction = try CurrentTransaction.innermost(of: database) { return transaction }
        let others = CurrentTransaction.databases
        guard others.isEmpty else { throw isInside(others) }
        return nil
    }

    private static var isReading: StrongroomError {
        StrongroomError(
            .readOnly,
            "A record of table \"\(Source.schema.name)\" is to be written inside a read; write it inside `write`.",
            database: database)
    }

    private static func isInside(_ others: [String]) -> StrongroomError {
        let others = others.map { "\"\($0)\"" }.joined(separator: ", ")
        return StrongroomError(
            .otherStore,
            """
            The objects of table "\(Source.schema.name)" are in "\(database)", and the transaction is one of \
            \(others). Use them outside of it, or give it: `in: db`.
            """,
            database: database)
    }
}
