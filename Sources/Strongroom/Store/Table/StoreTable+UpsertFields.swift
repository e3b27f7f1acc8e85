/// Upserts of JSON and dictionaries, each in a separate transaction. They correspond to those of `Table` that take a
/// transaction, and follow the same rules.
extension StoreTable where Source: Record, Source.RecordType == Source {
    /// Upserts JSON: updates the row that unique columns identify, or inserts a new one.
    ///
    /// ```swift
    /// try await store.table(Contact.self).upsert(json: feed, by: \.email)
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, which are written all or none.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format.
    /// - Returns: For each object, whether its row existed, and its key.
    /// - Throws: As `Table.upsert(json:by:coding:in:)` and `Store.write`.
    @discardableResult
    public func upsert<each V>(
        json: String,
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        coding: RecordCoding = RecordCoding()
    ) async throws -> [Upserted<Source.Key>] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in try Source.upsert(json, by: target, coding, in: db) }
    }

    /// Upserts JSON by the primary key: updates the row with that key, or inserts a new one if there is none or the
    /// JSON contains no key.
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, which are written all or none.
    ///   - coding: The key mapping and the date format.
    /// - Returns: For each object, whether its row existed, and its key.
    /// - Throws: As `Table.upsert(json:coding:in:)` and `Store.write`.
    @discardableResult
    public func upsert(
        json: String, coding: RecordCoding = RecordCoding()
    ) async throws -> [Upserted<Source.Key>] {
        try await prepare()
        return try await store.write { db in try Source.upsert(json: json, coding: coding, in: db) }
    }

    /// Upserts a dictionary, as `upsert(json:by:coding:)` does with an object.
    ///
    /// ```swift
    /// try await store.table(Contact.self).upsert(dictionary: ["email": "ada@example.org", "age": 36], by: \.email)
    /// ```
    ///
    /// - Parameters:
    ///   - dictionary: The values. In an existing row, only these are written.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format; by default dates are as stored.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As `Table.upsert(dictionary:by:coding:in:)` and `Store.write`.
    @discardableResult
    public func upsert<each V>(
        dictionary: [String: Value],
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        coding: RecordCoding = .stored
    ) async throws -> Upserted<Source.Key> {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in try Source.upsert(dictionary, by: target, coding, in: db) }
    }

    // MARK: Rows as they are stored

    /// Upserts JSON by unique columns, and returns the rows as they are stored.
    ///
    /// ```swift
    /// let stored = try await store.table(Contact.self).upsert(json: feed, by: \.email, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, which are written all or none.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each object, in the order of the objects, as it is after all of them.
    /// - Throws: As `Table.upsert(json:by:coding:in:returning:)` and `Store.write`.
    public func upsert<each V, R: Record>(
        json: String,
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        coding: RecordCoding = RecordCoding(),
        returning type: R.Type
    ) async throws -> [R] {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try Source.upsert(json, by: target, coding, on: db.handle.connection, returning: type)
        }
    }

    /// Upserts JSON by the primary key, and returns the rows as they are stored.
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, which are written all or none.
    ///   - coding: The key mapping and the date format.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each object, in the order of the objects, as it is after all of them.
    /// - Throws: As `Table.upsert(json:coding:in:returning:)` and `Store.write`.
    public func upsert<R: Record>(
        json: String, coding: RecordCoding = RecordCoding(), returning type: R.Type
    ) async throws -> [R] {
        try await prepare()
        return try await store.write { db in
            try Source.upsert(json: json, coding: coding, in: db, returning: type)
        }
    }

    /// Upserts a dictionary, and returns the row as it is stored.
    ///
    /// - Parameters:
    ///   - dictionary: The values. In an existing row, only these are written.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format; by default dates are as stored.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row.
    /// - Throws: As `Table.upsert(dictionary:by:coding:in:returning:)` and `Store.write`.
    public func upsert<each V, R: Record>(
        dictionary: [String: Value],
        by columns: repeat KeyPath<Source.Columns, Column<each V>>,
        coding: RecordCoding = .stored,
        returning type: R.Type
    ) async throws -> R {
        let target = try UpsertTarget<Source>(repeat each columns)
        try await prepare()
        return try await store.write { db in
            try Source.returned(type, on: db.handle.connection) { connection in
                try Source.upsert(dictionary, by: target, coding, in: WriteTransaction(connection)).key
            }
        }
    }
}
