/// The async forms of a table's operations, each in a separate transaction.
///
/// ```swift
/// let contacts = store.table(Contact.self)
/// let key = try await contacts.insert(contact)
/// let found = try await contacts.find(key)
/// ```
public struct StoreTable<Source: Table>: Sendable {
    /// The store.
    public let store: Store

    @usableFromInline
    init(_ store: Store) {
        self.store = store
    }

    /// The record with a key, or nil.
    ///
    /// - Throws: As `Table.find` and `Store.read`.
    @inlinable
    public func find(_ key: Source.Key) async throws -> Source.RecordType? {
        try await store.prepare(Source.self, isReading: true)
        return try await store.read { db in try Source.find(key, in: db) }
    }

    /// The records with some keys, as far as they exist.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func find(_ keys: [Source.Key]) async throws -> [Source.RecordType] {
        try await store.prepare(Source.self, isReading: true)
        return try await store.read { db in try Source.find(keys, in: db) }
    }

    /// Every record, in the order of the primary key.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func all() async throws -> [Source.RecordType] {
        try await store.prepare(Source.self, isReading: true)
        return try await store.read { db in try Source.all(in: db) }
    }

    /// The records of a query.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func fetch(_ query: Query<Source>) async throws -> [Source.RecordType] {
        try await store.prepare(Source.self, isReading: true)
        return try await store.read { db in try query.fetch(in: db) }
    }

    /// The number of rows.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func count() async throws -> Int {
        try await store.prepare(Source.self, isReading: true)
        return try await store.read { db in try Source.count(in: db) }
    }
}

extension Store {
    /// The async operations for a table.
    ///
    /// - Parameter table: The table's type.
    /// - Returns: The operations.
    @inlinable
    public func table<Source: Table>(_ table: Source.Type) -> StoreTable<Source> {
        StoreTable(self)
    }
}
