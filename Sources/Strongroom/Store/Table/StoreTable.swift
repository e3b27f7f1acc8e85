/// The reads of a table in transactions of their own, and the blobs that are read or written in parts.
///
/// ```swift
/// let contacts = store.table(Contact.self)
/// let found = try await contacts.find(key)
/// ```
///
/// What is written is written in a transaction: `try await store.write { try Contact.insert(contact, in: $0) }`.
public struct StoreTable<Source: Table>: Sendable {
    @usableFromInline
    let store: Store

    @usableFromInline
    init(_ store: Store) {
        self.store = store
    }

    /// Creates the table, or updates it to its declaration, if the store's configuration has no migrator; once per
    /// type.
    ///
    /// The other methods of ``StoreTable`` do so, too; those that read, only if the table or one of its columns is
    /// missing. A write in a transaction creates a missing table, and does not change one that exists.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange`, `migrationFailed`, or `otherMigrations` if the file's schema
    ///   is maintained by another program's migrator; as `Store.write`.
    @inlinable
    public func prepare() async throws {
        try await store.prepare(Source.self)
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
    /// The reads of a table, each in a transaction of its own.
    ///
    /// - Parameter table: The table's type.
    /// - Returns: The reads.
    @inlinable
    public func table<Source: Table>(_ table: Source.Type) -> StoreTable<Source> {
        StoreTable(self)
    }
}

extension StoreTable {
    /// Replaces the value of a row by one that is appended in parts, in a transaction of its own.
    ///
    /// ```swift
    /// try await store.table(Document.self).writeBlob(\.content, of: key, size: size) { blob in
    ///     while let part = try file.read(upToCount: 1 << 18), !part.isEmpty { try blob.append(part) }
    /// }
    /// ```
    ///
    /// Without a savepoint, unlike `Table.writeBlob`, so that the engine does not keep the replaced value in memory.
    /// See <doc:LargeValues>.
    ///
    /// - Parameters:
    ///   - column: The column, which must not be generated, indexed, unique or a reference.
    ///   - key: The primary key of the row, which must exist.
    ///   - size: The size of the new value in bytes; as many must be appended.
    ///   - label: The name of the write in error messages, including timeouts of operations that wait for it.
    ///   - timeout: How long it may wait for the writer and run; nil for no limit.
    ///   - body: Appends the parts, once, on one of the store's threads. If it throws, the previous value is kept.
    /// - Throws: What the closure throws; as `Table.writeBlob` and `Store.write`; `CancellationError`.
    public func writeBlob<V: BlobColumnValue>(
        _ column: KeyPath<Source.Columns, Column<V>>, of key: Source.Key, size: Int,
        label: String? = nil, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout BlobWriter) throws -> Void
    ) async throws {
        let column = Source.columns[keyPath: column].definition
        try await prepare()
        try await store.pool.write(as: .immediate, OperationLimits(label: label, timeout: timeout)) { connection in
            try StoredBlob<Source>(column, key, on: connection).write(size, body)
        }
    }
}
