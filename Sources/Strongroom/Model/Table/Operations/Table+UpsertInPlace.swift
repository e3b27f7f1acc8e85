/// Upserts that set the keys of the caller's records.
extension Table {
    /// Updates the row that unique columns identify, or inserts a new one, and sets the record's key to that of its
    /// row.
    ///
    /// The steps are those of the method that takes a value; see `upsert(_:by:nils:in:)`.
    ///
    /// ```swift
    /// try Contact.upsert(&contact, by: \.email, in: db)
    /// print(contact.id)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; it receives its row's key, the changes of the table's ``hooks``, and the columns that
    ///     the table keeps, but no other value of the row. Unchanged if the upsert fails.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As the method that takes a value.
    @inlinable
    @discardableResult
    public static func upsert<each V>(
        _ record: inout RecordType,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db._handle.connection)
        return try upsert(inPlace: &record, by: target, nils: nils, on: db._handle.connection)
    }

    /// Updates the row with the record's key, or inserts a new one, and sets the record's key to that of its row.
    ///
    /// - Parameters:
    ///   - record: The record; one without a key is inserted. Unchanged if the upsert fails.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As the method that takes a value.
    @inlinable
    @discardableResult
    public static func upsert(
        _ record: inout RecordType, nils: NilPolicy = .overwrite, in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        try upsert(inPlace: &record, by: .primaryKey, nils: nils, on: db._handle.connection)
    }

    /// Upserts a list of records, atomically, and sets their keys to those of their rows.
    ///
    /// ```swift
    /// try Contact.upsert(contentsOf: &contacts, by: \.email, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; unchanged if the upsert fails.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row.
    ///   - db: A write transaction.
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As the method for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public static func upsert<each V>(
        contentsOf records: inout [RecordType],
        by columns: repeat KeyPath<Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db._handle.connection)
        return try upsert(allInPlace: &records, by: target, nils: nils, on: db._handle.connection)
    }

    /// Upserts a list of records by the primary key, atomically, and sets their keys to those of their rows.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; unchanged if the upsert fails.
    ///   - nils: The treatment of nil in an existing row.
    ///   - db: A write transaction.
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As the method for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public static func upsert(
        contentsOf records: inout [RecordType], nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        try upsert(allInPlace: &records, by: .primaryKey, nils: nils, on: db._handle.connection)
    }

    @inlinable
    static func upsert(
        inPlace record: inout RecordType, by target: UpsertTarget<Self>, nils: NilPolicy, on connection: Connection
    ) throws -> Upserted<Key> {
        guard let hooks else {
            let row = try upsert(record, by: target, nils: nils, on: connection)
            adopt(row.key, row.outcome, in: &record, on: connection)
            return row
        }
        return try withHooks(&record, hooks, on: connection) { record in
            let row = try upsert(record, by: target, nils: nils, on: connection)
            adopt(row.key, row.outcome, in: &record, on: connection)
            return row
        }
    }

    @inlinable
    static func upsert(
        allInPlace records: inout [RecordType], by target: UpsertTarget<Self>, nils: NilPolicy,
        on connection: Connection
    ) throws -> [Upserted<Key>] {
        guard let hooks else {
            let rows = try upsert(contentsOf: records, by: target, nils: nils, on: connection)
            for (index, row) in rows.enumerated() {
                adopt(row.key, row.outcome, in: &records[index], on: connection)
            }
            return rows
        }
        let (written, rows) = try withHooks(contentsOf: records, hooks, on: connection) { records in
            let rows = try connection.inList(of: records.count) {
                try records.map { try upsert($0, by: target, nils: nils, on: connection) }
            }
            for (index, row) in zip(records.indices, rows) {
                adopt(row.key, row.outcome, in: &records[index], on: connection)
            }
            return (Array(records), rows)
        }
        records = written
        return rows
    }
}
