/// The upserts of a table, each in a separate transaction. They correspond to those of `Table` that take a transaction,
/// and follow the same rules.
extension StoreTable {
    /// Updates the row that unique columns identify, or inserts a new one.
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
        try await prepare()
        return try await store.write { db in
            try Source.upsertWithHooks(record, by: target, nils: nils, on: db.handle.connection)
        }
    }

    /// Updates the row with the record's key, or inserts a new one.
    ///
    /// - Throws: As `Table.upsert` and `Store.write`.
    @inlinable
    @discardableResult
    public func upsert(
        _ record: Source.RecordType, nils: NilPolicy = .overwrite
    ) async throws -> Upserted<Source.Key> {
        try await prepare()
        return try await store.write { db in try Source.upsert(record, nils: nils, in: db) }
    }

    /// Upserts a list of records, all or none.
    ///
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public func upsert<each V>(
        contentsOf records: [Source.RecordType],
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        nils: NilPolicy = .overwrite
    ) async throws -> [Upserted<Source.Key>] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try Source.upsert(contentsOf: records, by: target, nils: nils, on: db.handle.connection)
        }
    }

    // MARK: Keys in the records

    /// Updates the row that unique columns identify, or inserts a new one, and sets the record's key to that of its
    /// row.
    ///
    /// ```swift
    /// try await store.table(Contact.self).upsert(&contact, by: \.email)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; unchanged if the upsert fails.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As `Table.upsert` and `Store.write`.
    @inlinable
    @discardableResult
    public func upsert<each V>(
        _ record: inout Source.RecordType,
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        nils: NilPolicy = .overwrite
    ) async throws -> Upserted<Source.Key> {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write(&record) { db, record in
            try Source.upsert(inPlace: &record, by: target, nils: nils, on: db.handle.connection)
        }
    }

    /// Updates the row with the record's key, or inserts a new one, and sets the record's key to that of its row.
    ///
    /// - Parameters:
    ///   - record: The record; unchanged if the upsert fails.
    ///   - nils: The treatment of nil in an existing row.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As `Table.upsert` and `Store.write`.
    @inlinable
    @discardableResult
    public func upsert(
        _ record: inout Source.RecordType, nils: NilPolicy = .overwrite
    ) async throws -> Upserted<Source.Key> {
        try await prepare()
        return try await store.write(&record) { db, record in try Source.upsert(&record, nils: nils, in: db) }
    }

    /// Upserts a list of records, all or none, and sets their keys to those of their rows.
    ///
    /// - Parameters:
    ///   - records: The records; unchanged if the upsert fails.
    ///   - columns: The columns that identify a row; none for the primary key.
    ///   - nils: The treatment of nil in an existing row.
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public func upsert<each V>(
        contentsOf records: inout [Source.RecordType],
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        nils: NilPolicy = .overwrite
    ) async throws -> [Upserted<Source.Key>] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write(&records) { db, records in
            try Source.upsert(allInPlace: &records, by: target, nils: nils, on: db.handle.connection)
        }
    }

    // MARK: By columns that are not unique

    /// Updates the rows in which some columns have the record's values, or inserts a new row; the columns need not be
    /// unique.
    ///
    /// ```swift
    /// try await store.table(Contact.self).upsert(contact, matching: \.name, several: .updateAll)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The columns.
    ///   - several: Whether several rows are an error, or are all updated.
    ///   - nils: The treatment of nil in an existing row.
    /// - Returns: The updated rows, smallest key first; or the one row that was inserted.
    /// - Throws: As `Table.upsert(_:matching:several:nils:in:)` and `Store.write`.
    @discardableResult
    public func upsert<each V>(
        _ record: Source.RecordType,
        matching columns: repeat KeyPath<Source.Columns, Column<each V>>,
        several: SeveralRows = .refuse,
        nils: NilPolicy = .overwrite
    ) async throws -> [Upserted<Source.Key>] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try Source.upsert(record, matching: target, several, nils, on: db.handle.connection)
        }
    }

    /// Upserts a list of records by columns that need not be unique, all or none.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written.
    ///   - columns: The columns.
    ///   - several: Whether several rows for one record are an error, or are all updated.
    ///   - nils: The treatment of nil in an existing row.
    /// - Returns: For each record, its rows.
    /// - Throws: As for one record; nothing is changed then.
    @discardableResult
    public func upsert<each V>(
        contentsOf records: [Source.RecordType],
        matching columns: repeat KeyPath<Source.Columns, Column<each V>>,
        several: SeveralRows = .refuse,
        nils: NilPolicy = .overwrite
    ) async throws -> [[Upserted<Source.Key>]] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try db.inPart { db in
                try records.map { record in
                    try Source.upsert(record, matching: target, several, nils, on: db.handle.connection)
                }
            }
        }
    }
}
