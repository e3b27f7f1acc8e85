/// Where the objects of a type lie: the transaction that the running thread is inside of, or a store.
enum Objects<Source: Table> {
    static var database: String { Source.databaseName ?? Stores.defaultDatabaseName }

    /// The store, opened if need be, with the type's table in it.
    ///
    /// - Parameter cascading: Whether the tables that its relations lead to are needed, too.
    static func store(cascading: Bool = false) async throws -> Store {
        let store = try await Stores.current.open(database)
        try await store.prepare(try tables(cascading))
        return store
    }

    private static func tables(_ cascading: Bool) throws -> [any Table.Type] {
        guard cascading else { return [Source.self] }
        let tables = Source.tablesInReach
        for table in tables {
            if let other = table.databaseName, other != database { throw isApart(table.schema.name, other) }
        }
        return tables
    }

    static func read<T: Sendable>(
        cascading: Bool = false, _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> T
    ) async throws -> T {
        try await store(cascading: cascading).read { db in try body(db) }
    }

    static func write<T: Sendable>(
        cascading: Bool = false, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await store(cascading: cascading).write { db in try body(db) }
    }

    // MARK: On the running thread

    /// Reads in the transaction that the running thread is inside of; outside of any, in one of its own.
    static func readNow<T>(
        cascading: Bool = false, _ body: (borrowing ReadTransaction) throws -> T
    ) throws -> T {
        let tables = try tables(cascading)
        if let (connection, access) = try transaction() {
            try access.prepare(tables, on: connection, isWriting: connection.mayWrite)
            return try body(ReadTransaction(connection))
        }
        let store = try Stores.current.openStore(database)
        // Made in a transaction of its own: in a read it cannot be.
        if !tables.allSatisfy(store.access.firstUses.isKnown) {
            try store.write { db in try store.access.prepare(tables, on: db.handle.connection, isWriting: true) }
        }
        return try store.read { db in try body(db) }
    }

    /// Writes in the transaction that the running thread is inside of; outside of any, in one of its own.
    static func writeNow<T>(
        cascading: Bool = false, _ body: (borrowing WriteTransaction) throws -> T
    ) throws -> T {
        let tables = try tables(cascading)
        if let (connection, access) = try transaction() {
            guard connection.mayWrite else { throw isReading }
            try access.prepare(tables, on: connection, isWriting: true)
            return try body(WriteTransaction(connection))
        }
        let store = try Stores.current.openStore(database)
        return try store.write { db in
            try store.access.prepare(tables, on: db.handle.connection, isWriting: true)
            return try body(db)
        }
    }

    private static func transaction() throws -> (Connection, Access)? {
        guard CurrentAccess.isInsideAny else { return nil }
        switch CurrentAccess.innermost(of: database) {
        case .transaction(let connection, let access): return (connection, access)
        case .callback(let access): throw access.nested
        case nil: throw isElsewhere
        }
    }

    private static func isApart(_ table: String, _ other: String) -> StrongroomError {
        StrongroomError(
            .otherStore,
            """
            The relations of table «\(Source.schema.name)», which lies in «\(database)», lead to table «\(table)», which lies in «\(other)»; \
            no transaction spans two databases. Let both lie in one, or save them one after the other.
            """,
            database: database)
    }

    private static var isReading: StrongroomError {
        StrongroomError(
            .readOnly,
            "A record of table «\(Source.schema.name)» is to be written inside a read; write it inside `write`.",
            database: database)
    }

    private static var isElsewhere: StrongroomError {
        let others = CurrentAccess.databases.map { "«\($0)»" }.joined(separator: ", ")
        return StrongroomError(
            .otherStore,
            """
            The objects of table «\(Source.schema.name)» lie in «\(database)», and the transaction is one of \(others). Use them outside of it, or \
            give it: `in: db`.
            """,
            database: database)
    }
}
