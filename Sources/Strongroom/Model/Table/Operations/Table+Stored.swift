/// Rows as they are stored: with the columns' defaults, generated columns, and what triggers and hooks have written.
extension Table {
    /// The row with a key, as it is stored.
    ///
    /// ```swift
    /// let stored = try Contact.stored(Contact.insert(contact, in: db), as: Contact.self, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key of a row that exists, such as one that was just written.
    ///   - type: The type of the result; its columns are columns of the table.
    ///   - db: A transaction.
    /// - Returns: The row.
    /// - Throws: ``StrongroomError`` with `noSuchRow` if there is no such row, `typeMismatch`, or `sql` for a column
    ///   that the table does not have. As any error that leaves the closure, it rolls a write back.
    public static func stored<R: Record>(
        _ key: Key, as type: R.Type, in db: borrowing some Reading & ~Copyable
    ) throws -> R {
        try stored([key], as: type, in: db)[0]
    }

    /// The rows with some keys, as they are stored.
    ///
    /// ```swift
    /// let rows = try Contact.upsert(contentsOf: contacts, by: \.email, in: db)
    /// let stored = try Contact.stored(rows.map(\.key), as: Contact.self, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The keys of rows that exist.
    ///   - type: The type of the results; its columns are columns of the table.
    ///   - db: A transaction.
    /// - Returns: The row of each key, in the order of the keys.
    /// - Throws: As the method for one key.
    public static func stored<R: Record>(
        _ keys: [Key], as type: R.Type, in db: borrowing some Reading & ~Copyable
    ) throws -> [R] {
        let connection = db._handle.connection
        try connection.prepareTable(schema)
        let records = try Query<Self>.records(type, keys.map { try plainValues(of: $0) }, on: connection)
        guard records.count == keys.count else { throw TableFailure.notStored(schema) }
        return records
    }

    /// Reads the columns of a record's row into the record; properties that are not stored, such as loaded children,
    /// are kept.
    ///
    /// ```swift
    /// try Contact.save(&contact, in: db)
    /// try Contact.reload(&contact, in: db)    // contact is as its row now
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; unchanged if reading fails.
    ///   - db: A transaction.
    /// - Throws: ``StrongroomError`` with `missingKey` if the record has no key, `noSuchRow` if there is no row with
    ///   it, or `typeMismatch`.
    public static func reload(_ record: inout RecordType, in db: borrowing some Reading & ~Copyable) throws {
        guard let key = key(of: record) else { throw TableFailure.missingKey(schema) }
        let connection = db._handle.connection
        try connection.prepareTable(schema)
        let sql = try Query<Self>.row(of: RecordType.columnNames, plainValues(of: key))
        var copy = record
        let found: Void? = try Query<Self>.firstRow(sql, on: connection) { row in try copy._update(from: row) }
        guard found != nil else { throw TableFailure.notStored(schema) }
        record = copy
    }
}

extension TableFailure {
    static func notStored(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .noSuchRow,
            """
            Table "\(schema.name)" has no row with a key that was to be read. If the row was just written, a trigger \
            or a hook has deleted it or changed its key, or a later row has replaced it (ON CONFLICT REPLACE).
            """)
    }
}
