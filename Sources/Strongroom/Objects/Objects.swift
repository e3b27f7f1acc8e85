/// Where the objects of a type lie: the transaction that the running thread is inside of, or a store.
enum Objects<Source: Table> {
    static var database: String { Source.databaseName ?? Stores.defaultDatabaseName }

    /// The store, opened if need be, with the type's table in it.
    static func store() async throws -> Store {
        let store = try await Stores.current.open(database)
        try await store.prepare(Source.self)
        return store
    }

    static func read<T: Sendable>(
        _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> T
    ) async throws -> T {
        try await store().read { db in try body(db) }
    }

    static func write<T: Sendable>(
        _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await store().write { db in try body(db) }
    }

    // MARK: On the running thread

    /// Reads in the transaction that the running thread is inside of; outside of any, in one of its own.
    static func readNow<T>(_ body: (borrowing ReadTransaction) throws -> T) throws -> T {
        if let (connection, access) = try transaction() {
            try access.prepare(Source.self, on: connection, isWriting: access.isWriter(connection))
            return try body(ReadTransaction(connection))
        }
        let store = try Stores.current.openStore(database)
        // Made in a transaction of its own: in a read it cannot be.
        if !store.access.firstUses.isKnown(Source.self) {
            try store.write { db in
                try store.access.prepare(Source.self, on: db.handle.connection, isWriting: true)
            }
        }
        return try store.read { db in try body(db) }
    }

    /// Writes in the transaction that the running thread is inside of; outside of any, in one of its own.
    static func writeNow<T>(_ body: (borrowing WriteTransaction) throws -> T) throws -> T {
        if let (connection, access) = try transaction() {
            guard access.isWriter(connection) else { throw isReading }
            try access.prepare(Source.self, on: connection, isWriting: true)
            return try body(WriteTransaction(connection))
        }
        let store = try Stores.current.openStore(database)
        return try store.write { db in
            try store.access.prepare(Source.self, on: db.handle.connection, isWriting: true)
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

extension Access {
    /// Whether a connection that the running thread holds is the writer's.
    fileprivate func isWriter(_ connection: Connection) -> Bool {
        writer.connection === connection && !connection.isKeptFromWriting
    }
}
