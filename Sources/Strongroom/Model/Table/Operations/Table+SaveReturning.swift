/// Saves that return the rows as they are stored, the same with every engine.
extension Table {
    /// Saves a record and returns its row as it is stored: with defaults, generated columns, and what triggers and
    /// hooks have written.
    ///
    /// If the type is the record's own, the record receives the columns of its row, too. Its other properties, such as
    /// loaded children, are kept.
    ///
    /// ```swift
    /// try Contact.save(&contact, in: db, returning: Contact.self)    // contact is as its row now
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; nil is written as NULL to an existing row, and as the column's default to a new one. It
    ///     receives its generated key, and is unchanged if saving fails.
    ///   - cascading: Whether its parents and children are saved, too; see ``Relations``. Only the record's own row is
    ///     returned.
    ///   - db: A write transaction.
    ///   - type: The type of the result; its columns are columns of the table.
    /// - Returns: The row; nil if the record was marked for deletion (``RecordHooks/deletesOnSave(_:)``).
    /// - Throws: As `save(_:cascading:in:)`; ``StrongroomError`` with `noSuchRow` if a trigger or a hook has deleted
    ///   the row or changed its key, `typeMismatch`, or `sql` for a column that the table does not have. Nothing is
    ///   saved then.
    @discardableResult
    public static func save<R: Record>(
        _ record: inout RecordType, cascading: Bool = false, in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> R? {
        let connection = db.handle.connection
        return try reading(&record, on: connection) { record in
            let saved = try save(&record, cascading: cascading, in: WriteTransaction(connection))
            return saved == .deleted ? nil : try row(of: &record, type, on: connection)
        }
    }

    /// Saves a list of records, atomically, and returns their rows as they are stored.
    ///
    /// ```swift
    /// try Contact.save(contentsOf: &contacts, in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; if the type is their own, they receive the
    ///     columns of their rows. Unchanged if saving fails.
    ///   - cascading: Whether their parents and children are saved, too; see ``Relations``.
    ///   - db: A write transaction.
    ///   - type: The type of the results; its columns are columns of the table.
    /// - Returns: The row of each record, in the order of the records, as it is after the whole list; nil for a record
    ///   that was marked for deletion.
    /// - Throws: As the method for one record; also `noSuchRow` if a later record of the list has deleted or replaced
    ///   the row of an earlier one. Nothing is changed then.
    @discardableResult
    public static func save<R: Record>(
        contentsOf records: inout [RecordType], cascading: Bool = false, in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> [R?] {
        let connection = db.handle.connection
        return try reading(&records, on: connection) { records in
            let saved = try save(contentsOf: &records, cascading: cascading, in: WriteTransaction(connection))
            return try saved.enumerated().map { index, saved in
                saved == .deleted ? nil : try row(of: &records[index], type, on: connection)
            }
        }
    }

    /// Writes and reads again, atomically.
    ///
    /// - Parameter value: What the closure changes; unchanged if it throws.
    private static func reading<Changed, T>(
        _ value: inout Changed, on connection: Connection, _ body: (inout Changed) throws -> T
    ) throws -> T {
        // A table that is created on first use stays if the write fails.
        try connection.prepareTable(schema)
        let (result, changed) = try connection.inSavepoint {
            var changed = value
            return (try body(&changed), changed)
        }
        value = changed
        return result
    }

    /// The row of a record that was saved; the record is updated from it if it has the type of the result.
    private static func row<R: Record>(
        of record: inout RecordType, _ type: R.Type, on connection: Connection
    ) throws -> R {
        guard let key = try key(of: record).map({ try plainValues(of: $0) }) else {
            throw TableFailure.missingKey(schema)
        }
        let isOwn = type == RecordType.self
        let sql = try Query<Self>.row(of: isOwn ? RecordType.columnNames : R.columnNames, key)
        let row = try Query<Self>.firstRow(sql, on: connection) { row -> R? in
            guard isOwn else { return try R(row: row) }
            try record.update(from: row)
            return record as? R
        }
        guard let row = row?.flatMap({ $0 }) else { throw TableFailure.goneAfterWrite(schema) }
        return row
    }
}
