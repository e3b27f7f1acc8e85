/// Loading the related records of records that a caller has.
extension StoreTable where Source.RecordType == Source {
    /// Reads the records' children, or their parents, with one statement for all of them.
    ///
    /// A read of its own, which is awaited; inside `read` and `write`, use `Table.load(_:of:in:)`.
    ///
    /// ```swift
    /// try await store.table(Contact.self).load(\.$phones, of: &contacts)
    /// ```
    ///
    /// - Parameters:
    ///   - relation: The property, with its dollar sign; one of the table's ``Table/relations``.
    ///   - records: The records; unchanged if reading fails.
    /// - Throws: As `Table.load(_:of:in:)`, `prepare()` and `Store.read`; ``StrongroomError`` with `otherStore` if the
    ///   two tables are in different databases.
    public func load<Property: RelatedProperty>(
        _ relation: any WritableKeyPath<Source, Property> & Sendable, of records: inout [Source]
    ) async throws {
        try await store.prepare(Source.tables(of: relation, isStrict: false), isReading: true)
        try await store.read(&records) { db, records in try Source.load(relation, of: &records, in: db) }
    }

    /// Reads a record's children, or its parent.
    ///
    /// - Parameters:
    ///   - relation: The property, with its dollar sign; one of the table's ``Table/relations``.
    ///   - record: The record; unchanged if reading fails.
    /// - Throws: As the method for a list.
    public func load<Property: RelatedProperty>(
        _ relation: any WritableKeyPath<Source, Property> & Sendable, of record: inout Source
    ) async throws {
        try await store.prepare(Source.tables(of: relation, isStrict: false), isReading: true)
        try await store.read(&record) { db, record in try Source.load(relation, of: &record, in: db) }
    }
}
