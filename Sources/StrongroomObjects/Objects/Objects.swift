import Strongroom

/// Where the objects of a type lie: the transaction that the running thread is inside of, or a store.
enum Objects<Source: Table> {
    /// Which tables a call comes to.
    enum Reach {
        case own
        /// Those that the relations lead to, and theirs.
        case cascading
        /// Those of a relation.
        case relation([any Table.Type])

        init(_ cascading: Bool) { self = cascading ? .cascading : .own }
    }

    static var database: String { Source.databaseName ?? Stores.defaultDatabaseName }

    /// The store, opened if need be, with the type's table in it.
    ///
    /// - Parameter reach: Which other tables are needed, too.
    static func store(_ reach: Reach = .own) async throws -> Store {
        let store = try await Stores.current.open(database)
        try await store.prepare(try tables(reach))
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
        try await store(reach).read { db in try body(db) }
    }

    static func write<T: Sendable>(
        _ reach: Reach = .own, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await store(reach).write { db in try body(db) }
    }

    // MARK: On the running thread

    /// Reads in the transaction that the running thread is inside of; outside of any, in one of its own.
    static func readNow<T>(
        _ reach: Reach = .own, _ body: (borrowing ReadTransaction) throws -> T
    ) throws -> T {
        let tables = try tables(reach)
        if let transaction = try transaction() { return try transaction.read(tables, body) }
        let store = try Stores.current.openStore(database)
        // Made in a transaction of its own: in a read it cannot be.
        if !store.isPrepared(tables) { try store.write { db in try store.prepare(tables, in: db) } }
        return try store.read { db in try body(db) }
    }

    /// Writes in the transaction that the running thread is inside of; outside of any, in one of its own.
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
            The objects of table "\(Source.schema.name)" lie in "\(database)", and the transaction is one of \
            \(others). Use them outside of it, or give it: `in: db`.
            """,
            database: database)
    }
}
