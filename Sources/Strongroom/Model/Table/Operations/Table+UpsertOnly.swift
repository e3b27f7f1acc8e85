extension Table {
    /// Updates some columns of the row that unique columns point to, or inserts a new one.
    ///
    /// The steps are those of the form for all columns; see `upsert(_:by:nils:in:)`. In a row that is there, only the
    /// chosen columns are written, nil as NULL; a new row gets all of the record.
    ///
    /// ```swift
    /// try Contact.upsert(contact, by: \.email, only: { [$0.name, $0.phone] }, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - chosen: Chooses the columns that are written into a row that is there; none changes nothing. The key is
    ///     never changed.
    ///   - db: A write transaction.
    /// - Returns: Whether the row was there, and its key.
    /// - Throws: As the form for all columns; `sql` for a column that the record has not.
    @discardableResult
    public static func upsert<each V>(
        _ record: RecordType,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        only chosen: (Columns) -> [any TableColumn],
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db.handle.connection)
        return try upsert(record, by: target, except: positions(besides: chosen), on: db.handle.connection)
    }

    /// Updates some columns of the row with the record's key, or inserts a new one.
    ///
    /// - Parameters:
    ///   - record: The record; one without a key is inserted.
    ///   - chosen: Chooses the columns that are written into a row that is there; none changes nothing. The key is
    ///     never changed.
    ///   - db: A write transaction.
    /// - Returns: Whether the row was there, and its key.
    /// - Throws: As the form by other columns.
    @discardableResult
    public static func upsert(
        _ record: RecordType,
        only chosen: (Columns) -> [any TableColumn],
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        try upsert(record, by: .primaryKey, except: positions(besides: chosen), on: db.handle.connection)
    }

    /// Upserts some columns of a list of records; all of them or none.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; one may find the row that an earlier one made.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - chosen: Chooses the columns that are written into rows that are there.
    ///   - db: A write transaction.
    /// - Returns: For each record whether its row was there, and its key.
    /// - Throws: As the form for one record; then nothing is changed.
    @discardableResult
    public static func upsert<each V>(
        contentsOf records: some Sequence<RecordType>,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        only chosen: (Columns) -> [any TableColumn],
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let connection = db.handle.connection
        let target = try UpsertTarget<Self>.of(repeat each columns, on: connection)
        let left = try positions(besides: chosen)
        let records = ContiguousArray(records)
        return try connection.inList(of: records.count) {
            try records.map { try upsert($0, by: target, except: left, on: connection) }
        }
    }

    /// - Parameter leftOut: The positions that are not written into a row that is there.
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

    /// Writes some columns of a record into the row with a key.
    ///
    /// - Returns: False when there is no such row.
    static func updateRow(
        _ record: RecordType, at key: Key, except leftOut: [Int], on connection: Connection
    ) throws -> Bool {
        try update(record, at: key, Operation.overwrite, except: leftOut, cached: false, on: connection)
    }
}
