/// Inserts and upserts that return the rows as they are stored: with defaults, generated columns, and the changes of
/// triggers and hooks.
///
/// The result is the same with every engine: the rows are read again by their keys, after triggers have run, and not by
/// `RETURNING`, which older engines lack and which does not report the changes of triggers. The rules for validations,
/// hooks and kept columns are those of the methods without `returning:`.
extension Table {
    /// Inserts a record and returns its row as it is stored.
    ///
    /// ```swift
    /// let stored = try Contact.insert(contact, in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; if it has no key, the engine generates one.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row, with its defaults, generated columns, and what triggers and hooks have changed in it.
    /// - Throws: As `insert(_:in:)`; ``StrongroomError`` with `noSuchRow` if a trigger or a hook has deleted the row or
    ///   changed its key, `typeMismatch`, or `sql` for a column that the table does not have. Nothing is inserted then.
    public static func insert<R: Record>(
        _ record: RecordType, in db: borrowing some Writing & ~Copyable, returning type: R.Type
    ) throws -> R {
        try returned(type, on: db.handle.connection) { connection in
            try insert(record, in: WriteTransaction(connection))
        }
    }

    /// Inserts a list of records, atomically, and returns their rows as they are stored.
    ///
    /// ```swift
    /// let stored = try Contact.insert(contentsOf: contacts, in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each record, in the order of the records, as it is after the whole list.
    /// - Throws: As the method for one record; no record of the list is inserted then.
    public static func insert<R: Record>(
        contentsOf records: some Sequence<RecordType>, in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> [R] {
        try returned(list: type, on: db.handle.connection) { connection in
            try insert(contentsOf: records, in: WriteTransaction(connection))
        }
    }

    /// Inserts a record unless a row with the same key, or the same value in a unique column, exists, and returns its
    /// row as it is stored.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row, or nil if nothing was inserted.
    /// - Throws: As `insert(_:in:returning:)`.
    public static func insertOrIgnore<R: Record>(
        _ record: RecordType, in db: borrowing some Writing & ~Copyable, returning type: R.Type
    ) throws -> R? {
        try returned(list: type, on: db.handle.connection) { connection in
            try insertOrIgnore(record, in: WriteTransaction(connection)).map { [$0] } ?? []
        }.first
    }

    /// Inserts a row with single values, and returns it as it is stored; the other columns get their defaults.
    ///
    /// ```swift
    /// let stored = try Contact.insert(in: db, returning: Contact.self) { [$0.name.set("Ada")] }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    ///   - assignments: Returns the assignments for the table's columns.
    /// - Returns: The row.
    /// - Throws: As `insert(in:_:)` and `insert(_:in:returning:)`. Nothing is inserted then.
    public static func insert<R: Record>(
        in db: borrowing some Writing & ~Copyable, returning type: R.Type, _ assignments: (Columns) -> [Assignment]
    ) throws -> R {
        let given = assignments(columns)
        let connection = db.handle.connection
        try connection.prepareTable(schema)
        return try connection.inSavepoint {
            let (evaluated, key) = try withEvaluatedKey(given, on: connection)
            let rowID = try insert(with: evaluated, in: WriteTransaction(connection))
            return try stored(type, [try key ?? storedKey(rowID: rowID, on: connection)], on: connection)[0]
        }
    }

    // MARK: Upserts

    /// Updates the row that unique columns identify, or inserts a new one, and returns it as it is stored.
    ///
    /// ```swift
    /// let stored = try Contact.upsert(contact, by: \.email, nils: .keep, in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row, also with the values that the record does not have or that were kept.
    /// - Throws: As `upsert(_:by:nils:in:)` and `insert(_:in:returning:)`. Nothing is changed then.
    public static func upsert<each V, R: Record>(
        _ record: RecordType,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> R {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db.handle.connection)
        return try upsert(record, by: target, nils: nils, on: db.handle.connection, returning: type)
    }

    /// Updates the row with the record's key, or inserts a new one, and returns it as it is stored.
    ///
    /// - Parameters:
    ///   - record: The record; one without a key is inserted.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row.
    /// - Throws: As the method for other columns.
    public static func upsert<R: Record>(
        _ record: RecordType, nils: NilPolicy = .overwrite, in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> R {
        try upsert(record, by: .primaryKey, nils: nils, on: db.handle.connection, returning: type)
    }

    /// Upserts a list of records, atomically, and returns their rows as they are stored.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; a record may update the row that an earlier
    ///     one inserted.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each record, in the order of the records, as it is after the whole list.
    /// - Throws: As the method for one record; nothing is changed then.
    public static func upsert<each V, R: Record>(
        contentsOf records: some Sequence<RecordType>,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> [R] {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db.handle.connection)
        return try upsert(contentsOf: records, by: target, nils: nils, on: db.handle.connection, returning: type)
    }

    /// Upserts a list of records by the primary key, atomically, and returns their rows as they are stored.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; one without a key is inserted.
    ///   - nils: The treatment of nil in an existing row.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The row of each record, in the order of the records, as it is after the whole list.
    /// - Throws: As the method for one record; nothing is changed then.
    public static func upsert<R: Record>(
        contentsOf records: some Sequence<RecordType>, nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable, returning type: R.Type
    ) throws -> [R] {
        try upsert(contentsOf: records, by: .primaryKey, nils: nils, on: db.handle.connection, returning: type)
    }

    /// Updates the rows in which some columns have the record's values, or inserts a new row, and returns them as they
    /// are stored.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The columns; compared with each column's collation.
    ///   - several: Whether several rows are an error, or are all updated; each keeps its key.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The updated rows, smallest key first; or the one row that was inserted.
    /// - Throws: As `upsert(_:matching:several:nils:in:)` and `insert(_:in:returning:)`. Nothing is changed then.
    public static func upsert<each V, R: Record>(
        _ record: RecordType,
        matching columns: repeat KeyPath<Columns, Column<each V>>,
        several: SeveralRows = .refuse,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable,
        returning type: R.Type
    ) throws -> [R] {
        let target = try UpsertTarget<Self>(repeat each columns)
        return try upsert(record, matching: target, several, nils, on: db.handle.connection, returning: type)
    }

    static func upsert<R: Record>(
        _ record: RecordType, by target: UpsertTarget<Self>, nils: NilPolicy, on connection: Connection,
        returning type: R.Type
    ) throws -> R {
        try returned(type, on: connection) { connection in
            try upsertWithHooks(record, by: target, nils: nils, on: connection).key
        }
    }

    static func upsert<R: Record>(
        contentsOf records: some Sequence<RecordType>, by target: UpsertTarget<Self>, nils: NilPolicy,
        on connection: Connection, returning type: R.Type
    ) throws -> [R] {
        try returned(list: type, on: connection) { connection in
            try upsert(contentsOf: records, by: target, nils: nils, on: connection).map(\.key)
        }
    }

    static func upsert<R: Record>(
        _ record: RecordType, matching target: UpsertTarget<Self>, _ several: SeveralRows, _ nils: NilPolicy,
        on connection: Connection, returning type: R.Type
    ) throws -> [R] {
        try returned(list: type, on: connection) { connection in
            try upsert(record, matching: target, several, nils, on: connection).map(\.key)
        }
    }

    // MARK: The rows

    static func returned<R: Record>(
        _ type: R.Type, on connection: Connection, _ write: (Connection) throws -> Key
    ) throws -> R {
        try returned(list: type, on: connection) { [try write($0)] }[0]
    }

    /// Writes rows and reads them again, atomically.
    ///
    /// - Parameter write: Writes the rows and returns their keys.
    private static func returned<R: Record>(
        list type: R.Type, on connection: Connection, _ write: (Connection) throws -> [Key]
    ) throws -> [R] {
        // A table that is created on first use stays if the write fails.
        try connection.prepareTable(schema)
        return try connection.inSavepoint {
            try stored(type, try write(connection).map { try plainValues(of: $0) }, on: connection)
        }
    }

    private static func stored<R: Record>(_ type: R.Type, _ keys: [[Value]], on connection: Connection) throws -> [R] {
        let records = try Query<Self>.records(type, keys, on: connection)
        guard records.count == keys.count else { throw TableFailure.goneAfterWrite(schema) }
        return records
    }

    /// Assignments whose key is evaluated, so that the row can be found by it.
    ///
    /// - Returns: The assignments, and the key; nil if the engine generates it, or a default does.
    private static func withEvaluatedKey(
        _ given: [Assignment], on connection: Connection
    ) throws -> (assignments: [Assignment], key: [Value]?) {
        let names = schema.primaryKeys.map(\.name)
        // Of several assignments of a column, the engine takes the first one.
        let assigned = names.compactMap { name in given.first { Identifier.areSame($0.column, name) } }
        guard !names.isEmpty, schema.rowIDColumn == nil, assigned.count == names.count else { return (given, nil) }
        var sql: SQL = "SELECT "
        for (index, assignment) in assigned.enumerated() {
            if index > 0 { sql.append(text: ", ") }
            sql.append(assignment.value)
        }
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        guard try statement.step() else { return (given, nil) }
        let row = Row(statement)
        let key = try names.indices.map { try Value(from: row, at: $0) }
        let others = given.filter { Identifier.index(of: $0.column, in: names) == nil }
        let own = zip(names, key).map { name, value in
            var sql = SQL(reserving: 1)
            sql.append(value: value)
            return Assignment(column: name, value: sql)
        }
        return (own + others, key)
    }

    /// The key of the row that was inserted last.
    private static func storedKey(rowID: Int64, on connection: Connection) throws -> [Value] {
        guard schema.hasKey, schema.rowIDColumn == nil else { return [.integer(rowID)] }
        let names = schema.columns.map(\.name)
        let columns = try schema.keyColumns().map(\.quoted.text).joined(separator: ", ")
        guard let name = ColumnInfo.rowIDNames.first(where: { Identifier.index(of: $0, in: names) == nil }),
            let key = try connection.ownRows(
                "SELECT \(columns) FROM main.\(schema.quotedName) WHERE \(name) = ?", .integer(rowID)
            ).first
        else { throw TableFailure.goneAfterWrite(schema) }
        return key
    }
}

extension TableFailure {
    fileprivate static func goneAfterWrite(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .noSuchRow,
            """
            A row of table "\(schema.name)" was written, and a trigger or a hook has deleted it or changed its key, so \
            it cannot be returned; nothing was changed. Write it without `returning:`.
            """)
    }
}
