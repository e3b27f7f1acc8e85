extension StoreTable {
    /// Inserts a record on the disk or in memory only, and returns its key.
    ///
    /// - Throws: As `Table.insert(_:persistence:in:)` and `Store.write`.
    @discardableResult
    public func insert(_ record: Source.RecordType, persistence: Persistence) async throws -> Source.Key {
        try await prepare()
        return try await store.write { db in try Source.insert(record, persistence: persistence, in: db) }
    }

    /// Inserts a record on the disk or in memory only, and sets its key.
    ///
    /// - Parameters:
    ///   - record: The record; unchanged if the insert fails.
    ///   - persistence: Where the record is stored.
    /// - Throws: As `Table.insert(_:persistence:in:)` and `Store.write`.
    public func insert(_ record: inout Source.RecordType, persistence: Persistence) async throws {
        try await prepare()
        try await store.write(&record) { db, record in
            try Source.insert(&record, persistence: persistence, in: db)
        }
    }

    /// Saves a record in the file or in memory only.
    ///
    /// - Parameters:
    ///   - record: The record; gets the key that was generated for it, and is unchanged when saving fails.
    ///   - persistence: Where the record is stored.
    ///   - cascading: Whether its parents and children are saved as well, in the same place.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:persistence:cascading:in:)` and `Store.write`.
    @discardableResult
    public func save(
        _ record: inout Source.RecordType, persistence: Persistence, cascading: Bool = false
    ) async throws -> Saved {
        try await prepare(cascading)
        return try await store.write(&record) { db, record in
            try Source.save(&record, persistence: persistence, cascading: cascading, in: db)
        }
    }

    /// Saves a list of records in the file or in memory only, all or none.
    ///
    /// ```swift
    /// try await store.table(Contact.self).save(contentsOf: &drafts, persistence: .memory)
    /// ```
    ///
    /// - Parameters:
    ///   - records: The records; each gets the key of its row, and they are unchanged when saving fails.
    ///   - persistence: Where the records are stored.
    ///   - cascading: Whether their parents and children are saved as well, in the same place.
    /// - Returns: What was done with each.
    /// - Throws: As `Table.save(contentsOf:persistence:cascading:in:)` and `Store.write`.
    @discardableResult
    public func save(
        contentsOf records: inout [Source.RecordType], persistence: Persistence, cascading: Bool = false
    ) async throws -> [Saved] {
        try await prepare(cascading)
        return try await store.write(&records) { db, records in
            try Source.save(contentsOf: &records, persistence: persistence, cascading: cascading, in: db)
        }
    }

    /// Moves a record from memory to the disk, and its children that are in memory, and returns its new key.
    ///
    /// - Throws: As ``Table/persist(_:in:)`` and `Store.write`.
    @discardableResult
    public func persist(_ key: Source.Key) async throws -> Source.Key {
        try await prepare()
        return try await store.write { db in try Source.persist(key, in: db) }
    }

    /// Moves a record from the disk to memory, and its children with it, and returns its new key.
    ///
    /// - Throws: As ``Table/moveToMemory(_:in:)`` and `Store.write`.
    @discardableResult
    public func moveToMemory(_ key: Source.Key) async throws -> Source.Key {
        try await prepare(true)
        return try await store.write { db in try Source.moveToMemory(key, in: db) }
    }
}
