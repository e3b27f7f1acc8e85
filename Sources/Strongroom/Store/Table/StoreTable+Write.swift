/// The methods of a table that write whole records, each in a separate transaction. They correspond to those of `Table`
/// that take a transaction, and follow the same rules.
extension StoreTable {
    /// Inserts a record and returns its key.
    ///
    /// - Throws: As `Table.insert` and `Store.write`.
    @inlinable
    @discardableResult
    public func insert(_ record: Source.RecordType) async throws -> Source.Key {
        try await prepare()
        return try await store.write { db in try Source.insert(record, in: db) }
    }

    /// Inserts a record and sets its key to the generated one.
    ///
    /// - Parameter record: The record; unchanged if the insert fails.
    /// - Throws: As `Table.insert` and `Store.write`.
    @inlinable
    public func insert(_ record: inout Source.RecordType) async throws {
        try await prepare()
        try await store.write(&record) { db, record in try Source.insert(&record, in: db) }
    }

    /// Inserts a list of records, all or none, and returns their keys.
    ///
    /// - Throws: As `Table.insert` and `Store.write`.
    @inlinable
    @discardableResult
    public func insert(contentsOf records: [Source.RecordType]) async throws -> [Source.Key] {
        try await prepare()
        return try await store.write { db in try Source.insert(contentsOf: records, in: db) }
    }

    /// Inserts a list of records, all or none, and sets their keys to the generated ones.
    ///
    /// ```swift
    /// try await store.table(Contact.self).insert(contentsOf: &contacts)
    /// ```
    ///
    /// - Parameter records: The records; unchanged if the insert fails.
    /// - Throws: As `Table.insert` and `Store.write`.
    @inlinable
    public func insert(contentsOf records: inout [Source.RecordType]) async throws {
        try await prepare()
        try await store.write(&records) { db, records in try Source.insert(contentsOf: &records, in: db) }
    }

    /// Inserts a record unless a row with the same key, or the same value in a unique column, exists.
    ///
    /// - Returns: The row's key, or nil if nothing was inserted.
    /// - Throws: As `Table.insertOrIgnore` and `Store.write`.
    @inlinable
    @discardableResult
    public func insertOrIgnore(_ record: Source.RecordType) async throws -> Source.Key? {
        try await prepare()
        return try await store.write { db in try Source.insertOrIgnore(record, in: db) }
    }

    /// Updates the row with a record's key.
    ///
    /// - Throws: As `Table.update(_:in:)` and `Store.write`.
    @inlinable
    public func update(_ record: Source.RecordType) async throws {
        try await prepare()
        try await store.write { db in try Source.update(record, in: db) }
    }

    /// Updates the row with a record's key, and sets what the table keeps in the record, such as its next version.
    ///
    /// - Parameter record: The record; unchanged if the update fails.
    /// - Throws: As `Table.update(_:in:)` and `Store.write`.
    @inlinable
    public func update(_ record: inout Source.RecordType) async throws {
        try await prepare()
        try await store.write(&record) { db, record in try Source.update(&record, in: db) }
    }

    /// Updates the rows with the keys of a list of records, all or none.
    ///
    /// - Throws: As `update(_:)`.
    @inlinable
    public func update(contentsOf records: [Source.RecordType]) async throws {
        try await prepare()
        try await store.write { db in try Source.update(contentsOf: records, in: db) }
    }

    /// Updates the rows with the keys of a list of records, all or none, and sets what the table keeps in the records,
    /// such as their next versions.
    ///
    /// - Parameter records: The records; unchanged if the update fails.
    /// - Throws: As `update(_:)`.
    @inlinable
    public func update(contentsOf records: inout [Source.RecordType]) async throws {
        try await prepare()
        try await store.write(&records) { db, records in try Source.update(contentsOf: &records, in: db) }
    }

    /// Deletes the row with a key and returns whether there was one.
    ///
    /// - Throws: As `Table.delete(_:in:)` and `Store.write`.
    @inlinable
    @discardableResult
    public func delete(_ key: Source.Key) async throws -> Bool {
        try await prepare()
        return try await store.write { db in try Source.delete(key, in: db) }
    }

    /// Deletes the rows with some keys, all or none, and returns how many there were.
    ///
    /// - Throws: As `Table.delete(keys:in:)` and `Store.write`.
    @inlinable
    @discardableResult
    public func delete(keys: [Source.Key]) async throws -> Int {
        try await prepare()
        return try await store.write { db in try Source.delete(keys: keys, in: db) }
    }

    /// Deletes every row and returns how many there were.
    ///
    /// - Throws: As ``Table/truncate(in:)`` and `Store.write`.
    @inlinable
    @discardableResult
    public func truncate() async throws -> Int {
        try await prepare()
        return try await store.write { db in try Source.truncate(in: db) }
    }
}
