/// Saving in a store that the caller specifies, such as one of a family.
extension StoreTable {
    /// Creates the table, or updates it to its declaration, if the store's configuration has no migrator; once per
    /// type.
    ///
    /// The other methods of ``StoreTable`` do so, too; those that read, only if the table or one of its columns is
    /// missing.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange`, `migrationFailed`, or `invalidMigrator` if the file's schema
    ///   is maintained by another program's migrator; as `Store.write`.
    @inlinable
    public func prepare() async throws {
        try await store.prepare(Source.self)
    }

    /// Saves a record: updates its row, or inserts it if there is none.
    ///
    /// ```swift
    /// try await store.table(Contact.self).save(&contact)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; receives its generated key, and is unchanged if saving fails.
    ///   - cascading: Whether its parents and its children are saved as well; see ``Relations``.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:cascading:in:)`, `prepare()` and `Store.write`.
    @discardableResult
    public func save(_ record: inout Source.RecordType, cascading: Bool = false) async throws -> Saved {
        try await prepare(cascading)
        return try await store.write(&record) { db, record in
            try Source.save(&record, cascading: cascading, in: db)
        }
    }

    /// Saves a list of records, all or none.
    ///
    /// - Parameters:
    ///   - records: The records; unchanged if saving fails.
    ///   - cascading: Whether their parents and their children are saved as well; see ``Relations``.
    /// - Returns: What was done with each.
    /// - Throws: As for one record; then nothing is changed.
    @discardableResult
    public func save(
        contentsOf records: inout [Source.RecordType], cascading: Bool = false
    ) async throws -> [Saved] {
        try await prepare(cascading)
        return try await store.write(&records) { db, records in
            try Source.save(contentsOf: &records, cascading: cascading, in: db)
        }
    }

    /// Deletes a record's row, and returns whether there was one.
    ///
    /// - Parameters:
    ///   - record: The record; only its key is used.
    ///   - cascading: Whether the rows that refer to it are deleted as well; see ``Relations``.
    /// - Throws: As `Table.delete(_:cascading:in:)` and `Store.write`.
    @discardableResult
    public func delete(_ record: Source.RecordType, cascading: Bool = false) async throws -> Bool {
        try await prepare(cascading)
        return try await store.write { db in try Source.delete(record, cascading: cascading, in: db) }
    }

    /// Deletes the rows of a list of records, all or none, and returns how many there were.
    ///
    /// - Parameters:
    ///   - records: The records; only their keys are used.
    ///   - cascading: Whether the rows that reference them are deleted, too; see ``Relations``.
    /// - Throws: As for one record.
    @discardableResult
    public func delete(contentsOf records: [Source.RecordType], cascading: Bool = false) async throws -> Int {
        try await prepare(cascading)
        return try await store.write { db in try Source.delete(contentsOf: records, cascading: cascading, in: db) }
    }

    func prepare(_ cascading: Bool) async throws {
        try await store.prepare(cascading ? Source.tablesInReach(isStrict: false) : [Source.self])
    }
}
