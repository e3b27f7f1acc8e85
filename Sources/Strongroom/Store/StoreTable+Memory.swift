extension StoreTable {
    /// Inserts a record on the disk or in memory only, and returns its key.
    ///
    /// - Throws: As `Table.insert(_:persistence:in:)` and `Store.write`.
    @discardableResult
    public func insert(_ record: Source.RecordType, persistence: Persistence) async throws -> Source.Key {
        try await prepare()
        return try await store.write { db in try Source.insert(record, persistence: persistence, in: db) }
    }

    /// Moves a record from memory to the disk, and returns its new key.
    ///
    /// - Throws: As ``Table/persist(_:in:)`` and `Store.write`.
    @discardableResult
    public func persist(_ key: Source.Key) async throws -> Source.Key {
        try await prepare()
        return try await store.write { db in try Source.persist(key, in: db) }
    }
}
