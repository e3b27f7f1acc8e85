/// The one-line async forms of a table's operations, each in a transaction of its own.
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
        try await store.read { db in try Source.find(key, in: db) }
    }

    /// The records with some keys that are there.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func find(_ keys: [Source.Key]) async throws -> [Source.RecordType] {
        try await store.read { db in try Source.find(keys, in: db) }
    }

    /// Every record, in the order of the primary key.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func all() async throws -> [Source.RecordType] {
        try await store.read { db in try Source.all(in: db) }
    }

    /// The records of a query.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func fetch(_ query: Query<Source>) async throws -> [Source.RecordType] {
        try await store.read { db in try query.fetch(in: db) }
    }

    /// The number of rows.
    ///
    /// - Throws: As `find`.
    @inlinable
    public func count() async throws -> Int {
        try await store.read { db in try Source.count(in: db) }
    }

    /// Inserts a record and returns its key.
    ///
    /// - Throws: As `Table.insert` and `Store.write`.
    @inlinable
    @discardableResult
    public func insert(_ record: Source.RecordType) async throws -> Source.Key {
        try await store.write { db in try Source.insert(record, in: db) }
    }

    /// Inserts a list of records, all or none, and returns their keys.
    ///
    /// - Throws: As ``insert(_:)``.
    @inlinable
    @discardableResult
    public func insert(contentsOf records: [Source.RecordType]) async throws -> [Source.Key] {
        try await store.write { db in try Source.insert(contentsOf: records, in: db) }
    }

    /// Writes a record into the row with its key.
    ///
    /// - Throws: As ``Table/update(_:in:)`` and `Store.write`.
    @inlinable
    public func update(_ record: Source.RecordType) async throws {
        try await store.write { db in try Source.update(record, in: db) }
    }

    /// Updates the row that unique columns point to, or inserts a new one.
    ///
    /// - Throws: As `Table.upsert` and `Store.write`.
    @inlinable
    @discardableResult
    public func upsert<each V>(
        _ record: Source.RecordType,
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        nils: NilPolicy = .overwrite
    ) async throws -> Upserted<Source.Key> {
        let target = try UpsertTarget<Source>(repeat each columns)
        return try await store.write { db in
            try Source.upsert(record, by: target, nils: nils, on: db.handle.connection)
        }
    }

    /// Deletes the row with a key and says whether there was one.
    ///
    /// - Throws: As `Table.delete(_:in:)` and `Store.write`.
    @inlinable
    @discardableResult
    public func delete(_ key: Source.Key) async throws -> Bool {
        try await store.write { db in try Source.delete(key, in: db) }
    }

    /// Deletes every row and returns how many there were.
    ///
    /// - Throws: As ``Table/truncate(in:)`` and `Store.write`.
    @inlinable
    @discardableResult
    public func truncate() async throws -> Int {
        try await store.write { db in try Source.truncate(in: db) }
    }
}

extension Store {
    /// The one-line forms for a table.
    ///
    /// - Parameter table: The table's type.
    /// - Returns: The forms.
    @inlinable
    public func table<Source: Table>(_ table: Source.Type) -> StoreTable<Source> {
        StoreTable(self)
    }
}
