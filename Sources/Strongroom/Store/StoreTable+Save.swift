/// Saving in a store that the caller has chosen, such as one of a family's.
extension StoreTable {
    /// Makes the table, or changes it to what is declared, where the store's configuration has no migrator; once for each type.
    ///
    /// The forms of `save` do it as well; the others of ``StoreTable`` do not.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange`, `migrationFailed`, or `invalidMigrator` when another program keeps the file with a
    ///   migrator; as `Store.write`.
    public func prepare() async throws {
        try await store.prepare(Source.self)
    }

    /// Saves a record: its row is updated, or inserted where there is none.
    ///
    /// ```swift
    /// try await store.table(Contact.self).save(&contact)
    /// ```
    ///
    /// - Parameter record: The record; gets the key that was made for it, and is unchanged when saving fails.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:in:)`, `prepare()` and `Store.write`.
    @discardableResult
    public func save(_ record: inout Source.RecordType) async throws -> Saved {
        try await prepare()
        let before = record
        let (saved, outcome) = try await store.write { db in
            var copy = before
            let outcome = try Source.save(&copy, in: db)
            return (copy, outcome)
        }
        record = saved
        return outcome
    }

    /// Saves a list of records; all of them or none.
    ///
    /// - Parameter records: The records; unchanged when saving fails.
    /// - Returns: What was done with each.
    /// - Throws: As for one record; then nothing is changed.
    @discardableResult
    public func save(contentsOf records: inout [Source.RecordType]) async throws -> [Saved] {
        try await prepare()
        let before = records
        let (saved, outcomes) = try await store.write { db in
            var copy = before
            let outcomes = try Source.save(contentsOf: &copy, in: db)
            return (copy, outcomes)
        }
        records = saved
        return outcomes
    }

    /// Deletes a record's row, and says whether there was one.
    ///
    /// - Parameter record: The record; only its key counts, to the engine.
    /// - Throws: As `Table.delete(_:in:)` and `Store.write`.
    @discardableResult
    public func delete(_ record: Source.RecordType) async throws -> Bool {
        try await store.write { db in try Source.delete(record, in: db) }
    }
}
