/// Where the objects of a type lie: the transaction that the running thread is inside of, or a store.
enum Objects<Source: Table> {
    /// Which tables a call comes to.
    enum Reach {
        case own
        /// Those that the relations lead to, and theirs.
        case cascading
        /// The one that a relation leads to.
        case relation(any Table.Type)

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
        case .relation(let table):
            try Source.requireSameDatabase(table, isStrict: true)
            return [Source.self, table]
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
        if let (connection, pool) = try transaction() {
            try pool.prepare(tables, on: connection, isWriting: connection.mayWrite)
            return try body(ReadTransaction(connection))
        }
        let store = try Stores.current.openStore(database)
        // Made in a transaction of its own: in a read it cannot be.
        if !tables.allSatisfy(store.pool.firstUses.isKnown) {
            try store.write { db in try store.pool.prepare(tables, on: db.handle.connection, isWriting: true) }
        }
        return try store.read { db in try body(db) }
    }

    /// Writes in the transaction that the running thread is inside of; outside of any, in one of its own.
    static func writeNow<T>(
        _ reach: Reach = .own, _ body: (borrowing WriteTransaction) throws -> T
    ) throws -> T {
        let tables = try tables(reach)
        if let (connection, pool) = try transaction() {
            guard connection.mayWrite else { throw isReading }
            try pool.prepare(tables, on: connection, isWriting: true)
            return try body(WriteTransaction(connection))
        }
        let store = try Stores.current.openStore(database)
        return try store.write { db in
            try store.pool.prepare(tables, on: db.handle.connection, isWriting: true)
            return try body(db)
        }
    }

    private static func transaction() throws -> (Connection, ConnectionPool)? {
        guard CurrentTransaction.isInsideAny else { return nil }
        switch CurrentTransaction.innermost(of: database) {
        case .transaction(let connection, let pool): return (connection, pool)
        case .callback(let pool): throw pool.nested
        case nil: throw isElsewhere
        }
    }

    private static var isReading: StrongroomError {
        StrongroomError(
            .readOnly,
            "A record of table \"\(Source.schema.name)\" is to be written inside a read; write it inside `write`.",
            database: database)
    }

    private static var isElsewhere: StrongroomError {
        let others = CurrentTransaction.databases.map { "\"\($0)\"" }.joined(separator: ", ")
        return StrongroomError(
            .otherStore,
            """
            The objects of table "\(Source.schema.name)" lie in "\(database)", and the transaction is one of \
            \(others). Use them outside of it, or give it: `in: db`.
            """,
            database: database)
    }
}
