import Strongroom

/// The store of a type's objects.
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
}
