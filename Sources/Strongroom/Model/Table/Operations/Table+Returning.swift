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
    ///   changed its key, or if a later row of a list has replaced it (`ON CONFLICT REPLACE`), `typeMismatch`, or `sql`
    ///   for a column that the table does not have. Nothing is inserted then.
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
    /// The row is found by its key if that is assigned, or has a default in a table that was created WITHOUT ROWID, and
    /// by its row id otherwise.
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
    /// - Throws: As `insert(in:_:)` and `insert(_:in:returning:)`; `missingKey` if the key is neither assigned nor has
    ///   a default, and the table's columns have all names of the row id. Nothing is inserted then.
    public static func insert<R: Record>(
        in db: borrowing some Writing & ~Copyable, returning type: R.Type, _ assignments: (Columns) -> [Assignment]
    ) throws -> R {
        let given = assignments(columns)
        let connection = db.handle.connection
        try connection.prepareTable(schema)
        return try connection.inSavepoint {
            let (evaluated, key) = try withEvaluatedKey(given, on: connection)
            let rowID = try insert(with: evaluated, in: WriteTransaction(connection))
            guard let key else { return try stored(type, rowID: rowID, on: connection) }
            return try stored(type, [key], on: connection)[0]
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
    static func returned<R: Record>(
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
    /// - Returns: The assignments, and the key; nil if it is not known before the insert: then the row has a row id.
    private static func withEvaluatedKey(
        _ given: [Assignment], on connection: Connection
    ) throws -> (assignments: [Assignment], key: [Value]?) {
        let names = schema.primaryKeys.map(\.name)
        // Of several assignments of a column, the engine takes the first one.
        var assigned = names.compactMap { name in given.first { Identifier.areSame($0.column, name) } }
        if assigned.count < names.count, schema.rowIDColumn == nil {
            assigned = try withDefaults(assigned, names, on: connection)
        }
        guard !names.isEmpty, assigned.count == names.count else { return (given, nil) }
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
        // The engine generates the row id in place of NULL, and no other key.
        guard !key.contains(.null) else { return (given, nil) }
        let others = given.filter { Identifier.index(of: $0.column, in: names) == nil }
        let own = zip(names, key).map { name, value in
            var sql = SQL(reserving: 1)
            sql.append(value: value)
            return Assignment(column: name, value: sql)
        }
        return (own + others, key)
    }

    /// The assignments of all columns of a key, with the defaults of those that are not assigned, if the file's table
    /// was created WITHOUT ROWID: its rows can be found by their keys only.
    private static func withDefaults(
        _ assigned: [Assignment], _ names: [String], on connection: Connection
    ) throws -> [Assignment] {
        let text = try connection.ownValue(
            "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE", .text(schema.name))
        guard text?.asText.flatMap(CreateTableText.init)?.isWithoutRowID == true else { return assigned }
        let infos = try connection.columnInfos(of: schema.name)
        return names.compactMap { name in
            if let own = assigned.first(where: { Identifier.areSame($0.column, name) }) { return own }
            // The engine rejects a row without the value.
            return infos.first { Identifier.areSame($0.name, name) }?.defaultExpression.map { sql in
                Assignment(column: name, value: SQL(verbatim: "(\(sql))"))
            }
        }
    }

    /// The row that was inserted last.
    private static func stored<R: Record>(_ type: R.Type, rowID: Int64, on connection: Connection) throws -> R {
        guard let name = try connection.columnInfos(of: schema.name).freeRowIDName else {
            throw TableFailure.unknownRow(schema)
        }
        let columns = R.columnNames.map(Identifier.quote).joined(separator: ", ")
        let sql = SQL(
            verbatim: "SELECT \(columns) FROM main.\(schema.quotedName) WHERE \(name) = ?", [.integer(rowID)])
        guard let record = try Query<Self>.record(type, sql, on: connection) else {
            throw TableFailure.goneAfterWrite(schema)
        }
        return record
    }
}

extension TableFailure {
    static func goneAfterWrite(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .noSuchRow,
            """
            A row of table "\(schema.name)" was written and cannot be returned, since it is not there any more: a \
            trigger or a hook has deleted it or changed its key, or a later row has replaced it (ON CONFLICT REPLACE). \
            Nothing was changed. Write it without `returning:`.
            """)
    }

    fileprivate static func unknownRow(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .missingKey,
            """
            A row of table "\(schema.name)" was written without a key, and cannot be returned, since columns have all \
            names of the row id. Nothing was changed. Assign the key, or write the row without `returning:`.
            """)
    }
}
