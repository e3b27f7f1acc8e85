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
    /// Replaces the value of a row by one that arrives in parts; two of them are in memory at the same time.
    ///
    /// ```swift
    /// try await store.table(Document.self).writeBlob(\.content, of: key, size: size, from: request.body)
    /// ```
    ///
    /// The write is a transaction of its own, which begins with the first part and holds the store's writer until the
    /// last one: other writes wait for as long as the parts take to arrive. A sequence must therefore not write in the
    /// same store. In a store in memory, the parts are collected first. See <doc:LargeValues>.
    ///
    /// - Parameters:
    ///   - column: The column, which must not be generated, indexed, unique or a reference.
    ///   - key: The primary key of the row, which must exist.
    ///   - size: The size of the new value in bytes; the parts must have as many.
    ///   - parts: The parts, in order, such as `Data` or `[UInt8]`. If it throws, the former value is kept.
    ///   - label: The name of the write in error messages, including timeouts of operations that wait for it.
    ///   - timeout: How long it may wait for the writer and run; nil for no limit.
    /// - Throws: As `Table.writeBlob` and `Store.write`; what the sequence throws; `CancellationError`.
    public func writeBlob<V: BlobColumnValue, Parts: AsyncSequence>(
        _ column: KeyPath<Source.Columns, Column<V>>, of key: Source.Key, size: Int, from parts: Parts,
        label: String? = nil, timeout: Duration? = nil
    ) async throws where Parts.Element: Collection<UInt8> {
        let column = Source.columns[keyPath: column].definition
        try await prepare()
        let channel = BlockingChannel<[UInt8]>()
        let limits = OperationLimits(label: label, timeout: timeout)
        guard !store.pool.hasOneConnection else {
            // The single connection must not be held: a read in the sequence would wait for it.
            var all: [UInt8] = []
            for try await part in parts { all.append(contentsOf: part) }
            return try await write(column, key, size, limits) { [all] append in try append(all) }
        }
        async let written: Void = write(column, key, size, limits, from: channel)
        await withTaskCancellationHandler {
            do {
                for try await part in parts {
                    try Task.checkCancellation()
                    guard await channel.send([UInt8](part)) else { break }
                }
                channel.finish(.success(()))
            } catch {
                channel.finish(.failure(error))
            }
        } onCancel: {
            channel.finish(.failure(CancellationError()))
        }
        try await written
    }

    private func write(
        _ column: ColumnDefinition, _ key: Source.Key, _ size: Int, _ limits: OperationLimits,
        from channel: BlockingChannel<[UInt8]>
    ) async throws {
        defer { channel.close() }
        // The writer is not held before the first part arrives.
        await channel.waitForFirst()
        let executor = store.executor
        try await write(column, key, size, limits) { append in
            while let part = try executor.blocking({ Result { try channel.receive() } }).get() { try append(part) }
        }
    }

    private func write(
        _ column: ColumnDefinition, _ key: Source.Key, _ size: Int, _ limits: OperationLimits,
        _ body: @escaping @Sendable (([UInt8]) throws -> Void) throws -> Void
    ) async throws {
        try await store.pool.write(as: .immediate, limits) { connection in
            try BlobPlace<Source>(column, key, on: connection).write(size) { writer in
                try body { try writer.append($0) }
            }
        }
    }
}
