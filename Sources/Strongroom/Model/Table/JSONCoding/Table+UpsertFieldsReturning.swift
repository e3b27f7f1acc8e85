/// Upserts of JSON and dictionaries that return the rows as they are stored, the same with every engine.
extension Table where Self: Record, RecordType == Self {
    /// Upserts JSON by unique columns, and returns the rows as they are stored: also with the columns that the JSON
    /// does not contain, defaults, generated columns, and what triggers have written.
    ///
    /// ```swift
    /// let stored = try Contact.upsert(json: feed, by: \.email, in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, which are written in order; an object may update the
    ///     row that an earlier one inserted.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each object, in the order of the objects, as it is after all of them.
    /// - Throws: As `upsert(json:by:coding:in:)`; ``StrongroomError`` with `noSuchRow` if a trigger has
    ///   deleted a row or changed its key, or if a later row has replaced it (`ON CONFLICT REPLACE`), `typeMismatch`,
    ///   or `sql` for a column that the table does not have. Nothing is changed then.
    public static func upsert<each V, R: Record>(
        json: String,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        coding: RecordCoding = RecordCoding(),
        in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> [R] {
        try upsert(
            json, by: UpsertTarget<Self>(repeat each columns), coding, on: db.handle.connection, returning: type)
    }

    /// Upserts JSON by the primary key, and returns the rows as they are stored.
    ///
    /// ```swift
    /// let stored = try Contact.upsert(json: feed, in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects.
    ///   - coding: The key mapping and the date format.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each object, in the order of the objects, as it is after all of them.
    /// - Throws: As the method for other columns; nothing is changed then.
    public static func upsert<R: Record>(
        json: String,
        coding: RecordCoding = RecordCoding(),
        in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> [R] {
        try upsert(json, by: .primaryKey, coding, on: db.handle.connection, returning: type)
    }

    /// Upserts a dictionary, and returns the row as it is stored.
    ///
    /// ```swift
    /// let stored = try Contact.upsert(dictionary: values, by: \.email, in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - dictionary: The values. In an existing row, only these are written.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format; by default dates are as stored.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row.
    /// - Throws: As the method for JSON.
    public static func upsert<each V, R: Record>(
        dictionary: [String: Value],
        by columns: repeat KeyPath<Columns, Column<each V>>,
        coding: RecordCoding = .stored,
        in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> R {
        let target = try UpsertTarget<Self>(repeat each columns)
        return try returned(type, on: db.handle.connection) { connection in
            try upsert(dictionary, by: target, coding, in: WriteTransaction(connection)).key
        }
    }

    static func upsert<R: Record>(
        _ json: String, by target: UpsertTarget<Self>, _ coding: RecordCoding, on connection: Connection,
        returning type: R.Type
    ) throws -> [R] {
        try returned(list: type, on: connection) { connection in
            try upsert(json, by: target, coding, in: WriteTransaction(connection)).map(\.key)
        }
    }
}
