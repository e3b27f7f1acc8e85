extension Table {
    /// Updates some columns of the row that unique columns identify, or inserts a new one.
    ///
    /// The steps are those of the method for all columns; see `upsert(_:by:nils:in:)`. In an existing row, only the
    /// chosen columns are written, nil as NULL; a new row gets all values of the record.
    ///
    /// ```swift
    /// try Contact.upsert(contact, by: \.email, only: { [$0.name, $0.phone] }, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - chosen: Returns the columns that are written to an existing row; if empty, nothing is changed. The key is
    ///     never changed.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As the method for all columns; `sql` for a column that the record does not have.
    @discardableResult
    public static func upsert<each V>(
        _ record: RecordType,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        only chosen: (Columns) -> [any TableColumn],
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db._handle.connection)
        return try upsert(record, by: target, except: positions(except: chosen), on: db._handle.connection)
    }

    /// Updates some columns of the row with the record's key, or inserts a new one.
    ///
    /// - Parameters:
    ///   - record: The record; one without a key is inserted.
    ///   - chosen: Returns the columns that are written to an existing row; if empty, nothing is changed. The key is
    ///     never changed.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As the method for other columns.
    @discardableResult
    public static func upsert(
        _ record: RecordType,
        only chosen: (Columns) -> [any TableColumn],
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        try upsert(record, by: .primaryKey, except: positions(except: chosen), on: db._handle.connection)
    }

    /// Upserts some columns of a list of records, atomically.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; a record may update the row that an earlier
    ///     one inserted.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - chosen: Returns the columns that are written to existing rows.
    ///   - db: A write transaction.
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As the method for one record; nothing is changed then.
    @discardableResult
    public static func upsert<each V>(
        contentsOf records: some Sequence<RecordType>,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        only chosen: (Columns) -> [any TableColumn],
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let connection = db._handle.connection
        let target = try UpsertTarget<Self>.of(repeat each columns, on: connection)
        let left = try positions(except: chosen)
        let records = ContiguousArray(records)
        return try connection.inList(of: records.count) {
            try records.map { try upsert($0, by: target, except: left, on: connection) }
        }
    }

    /// - Parameter leftOut: The indices of columns that are not written to an existing row.
    private static func upsert(
        _ record: RecordType, by target: UpsertTarget<Self>, except leftOut: [Int], on connection: Connection
    ) throws -> Upserted<Key> {
        if !target.isPrimaryKey, let present = try target.row(of: record, on: connection) {
            try validateUpdate(record)
            guard try updateRow(record, at: present.key, except: leftOut, on: connection) else {
                throw TableFailure.noSuchRow(schema)
            }
            return Upserted(.updated, present.key)
        }
        if let key = key(of: record), try isUpdate(record, at: key, on: connection),
            try updateRow(record, at: key, except: leftOut, on: connection)
        {
            return Upserted(.updated, key)
        }
        if target.isPrimaryKey { try schema.checkKey() }
        return Upserted(.inserted, try insert(record, on: connection))
    }

    /// Writes some columns of a record to the row with a key.
    ///
    /// - Returns: False if there is no such row.
    static func updateRow(
        _ record: RecordType, at key: Key, except leftOut: [Int], on connection: Connection
    ) throws -> Bool {
        try update(record, at: key, Operation.overwrite, except: leftOut, cached: false, on: connection)
    }
}
