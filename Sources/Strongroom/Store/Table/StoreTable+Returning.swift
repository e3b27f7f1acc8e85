/// Inserts, upserts and saves that return the rows as they are stored, each in a separate transaction. They correspond
/// to those of `Table` that take a transaction, and follow the same rules.
extension StoreTable {
    /// Inserts a record and returns its row as it is stored.
    ///
    /// ```swift
    /// let stored = try await store.table(Contact.self).insert(contact, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; if it has no key, the engine generates one.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row, with its defaults, generated columns, and what triggers and hooks have changed in it.
    /// - Throws: As `Table.insert(_:in:returning:)` and `Store.write`.
    public func insert<R: Record>(_ record: Source.RecordType, returning type: R.Type) async throws -> R {
        try await prepare()
        return try await store.write { db in try Source.insert(record, in: db, returning: type) }
    }

    /// Inserts a list of records, all or none, and returns their rows as they are stored.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each record, in the order of the records.
    /// - Throws: As `Table.insert(contentsOf:in:returning:)` and `Store.write`.
    public func insert<R: Record>(
        contentsOf records: [Source.RecordType], returning type: R.Type
    ) async throws -> [R] {
        try await prepare()
        return try await store.write { db in try Source.insert(contentsOf: records, in: db, returning: type) }
    }

    /// Inserts a record unless a row with the same key, or the same value in a unique column, exists, and returns its
    /// row as it is stored.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row, or nil if nothing was inserted.
    /// - Throws: As `Table.insertOrIgnore(_:in:returning:)` and `Store.write`.
    public func insertOrIgnore<R: Record>(_ record: Source.RecordType, returning type: R.Type) async throws -> R? {
        try await prepare()
        return try await store.write { db in try Source.insertOrIgnore(record, in: db, returning: type) }
    }

    /// Updates the row that unique columns identify, or inserts a new one, and returns it as it is stored.
    ///
    /// ```swift
    /// let stored = try await store.table(Contact.self).upsert(contact, by: \.email, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row.
    /// - Throws: As `Table.upsert(_:by:nils:in:returning:)` and `Store.write`.
    public func upsert<each V, R: Record>(
        _ record: Source.RecordType,
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        returning type: R.Type
    ) async throws -> R {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try Source.upsert(record, by: target, nils: nils, on: db.handle.connection, returning: type)
        }
    }

    /// Updates the row with the record's key, or inserts a new one, and returns it as it is stored.
    ///
    /// - Parameters:
    ///   - record: The record; one without a key is inserted.
    ///   - nils: The treatment of nil in an existing row.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row.
    /// - Throws: As `Table.upsert(_:nils:in:returning:)` and `Store.write`.
    public func upsert<R: Record>(
        _ record: Source.RecordType, nils: NilPolicy = .overwrite, returning type: R.Type
    ) async throws -> R {
        try await prepare()
        return try await store.write { db in try Source.upsert(record, nils: nils, in: db, returning: type) }
    }

    /// Upserts a list of records, all or none, and returns their rows as they are stored.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written.
    ///   - columns: The columns that identify a row; none for the primary key.
    ///   - nils: The treatment of nil in an existing row.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each record, in the order of the records.
    /// - Throws: As `Table.upsert(contentsOf:by:nils:in:returning:)` and `Store.write`.
    public func upsert<each V, R: Record>(
        contentsOf records: [Source.RecordType],
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        returning type: R.Type
    ) async throws -> [R] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try Source.upsert(contentsOf: records, by: target, nils: nils, on: db.handle.connection, returning: type)
        }
    }

    /// Updates the rows in which some columns have the record's values, or inserts a new row, and returns them as they
    /// are stored.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The columns, which need not be unique.
    ///   - several: Whether several rows are an error, or are all updated.
    ///   - nils: The treatment of nil in an existing row.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The updated rows, smallest key first; or the one row that was inserted.
    /// - Throws: As `Table.upsert(_:matching:several:nils:in:returning:)` and `Store.write`.
    public func upsert<each V, R: Record>(
        _ record: Source.RecordType,
        matching columns: repeat KeyPath<Source.Columns, Column<each V>>,
        several: SeveralRows = .refuse,
        nils: NilPolicy = .overwrite,
        returning type: R.Type
    ) async throws -> [R] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try Source.upsert(record, matching: target, several, nils, on: db.handle.connection, returning: type)
        }
    }

    // MARK: Saves

    /// Saves a record and returns its row as it is stored.
    ///
    /// ```swift
    /// try await store.table(Contact.self).save(&contact, returning: Contact.self)    // contact is as its row now
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; receives its generated key and, if the type is its own, the columns of its row.
    ///     Unchanged if saving fails.
    ///   - cascading: Whether its parents and its children are saved as well; see ``Relations``.
    ///   - type: The type of the result; its columns are columns of the table.
    /// - Returns: The row; nil if the record was marked for deletion.
    /// - Throws: As `Table.save(_:cascading:in:returning:)`, `prepare()` and `Store.write`.
    @discardableResult
    public func save<R: Record>(
        _ record: inout Source.RecordType, cascading: Bool = false, returning type: R.Type
    ) async throws -> R? {
        try await prepare(cascading)
        return try await store.write(&record) { db, record in
            try Source.save(&record, cascading: cascading, in: db, returning: type)
        }
    }

    /// Saves a list of records, all or none, and returns their rows as they are stored.
    ///
    /// - Parameters:
    ///   - records: The records; if the type is their own, they receive the columns of their rows. Unchanged if saving
    ///     fails.
    ///   - cascading: Whether their parents and their children are saved as well; see ``Relations``.
    ///   - type: The type of the results; its columns are columns of the table.
    /// - Returns: The row of each record, in the order of the records; nil for a record that was marked for deletion.
    /// - Throws: As `Table.save(contentsOf:cascading:in:returning:)` and `Store.write`.
    @discardableResult
    public func save<R: Record>(
        contentsOf records: inout [Source.RecordType], cascading: Bool = false, returning type: R.Type
    ) async throws -> [R?] {
        try await prepare(cascading)
        return try await store.write(&records) { db, records in
            try Source.save(contentsOf: &records, cascading: cascading, in: db, returning: type)
        }
    }
}
