/// Inserts of single values.
extension Table {
    /// Inserts a row with single values; the other columns get their defaults.
    ///
    /// ```swift
    /// let key = try Contact.insert(in: db) { [$0.name.set("Ada"), $0.email.set("ada@example.org")] }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A write transaction.
    ///   - assignments: Returns the assignments for the table's columns.
    /// - Returns: The row's key: the one that is assigned, that is generated, or that is a column's default.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, `missingKey` if there is no key and none is
    ///   generated, `typeMismatch` if it is not of the key's type, `noSuchRow` if a trigger has deleted the row, or the
    ///   engine's error. Nothing is inserted then.
    @discardableResult
    public static func insert(
        in db: borrowing some Writing & ~Copyable,
        _ assignments: (Columns) -> [Assignment]
    ) throws -> Key {
        var given = assignments(columns)
        let connection = db._handle.connection
        try connection.prepareTable(schema)
        if let made = try generatedKey(for: given) { given.append(made) }
        let (evaluated, key) = try withEvaluatedKey(given, on: connection)
        if let key {
            _ = try insert(with: evaluated, on: connection)
            return key
        }
        try requireGeneratedKeys(on: connection)
        if schema.primaryKeys.allSatisfy({ $0.defaultValue == nil }), Key.generated(rowID: .max) != nil {
            // Each row id is a key.
            let rowID = try insert(with: evaluated, on: connection)
            guard let key = Key.generated(rowID: rowID) else { throw TableFailure.missingKey(schema) }
            return key
        }
        return try connection.inSavepoint {
            try storedKey(rowID: insert(with: evaluated, on: connection), on: connection)
        }
    }

    /// The assignment of a key of a type that the library generates; nil for another type, or an assigned key.
    private static func generatedKey(for given: [Assignment]) throws -> Assignment? {
        guard schema.primaryKeys.count == 1, let column = schema.primaryKeys.first, column.defaultValue == nil,
            !given.contains(where: { Identifier.areSame($0.column, column.name) }), let made = Key.made()
        else { return nil }
        var sql = SQL(reserving: 1)
        sql.append(value: try plainValues(of: made)[0])
        return Assignment(column: column.name, value: sql)
    }

    /// - Returns: The row id.
    private static func insert(with given: [Assignment], on connection: Connection) throws -> Int64 {
        let assignments = try completed(given, isNew: true, on: connection)
        var sql: SQL = "INSERT INTO \(name: schema.name) "
        if assignments.isEmpty {
            sql.append(text: "DEFAULT VALUES")
        } else {
            let names = assignments.map { Identifier.quote($0.column) }.joined(separator: ", ")
            sql.append(text: "(\(names)) VALUES (")
            for (index, assignment) in assignments.enumerated() {
                if index > 0 { sql.append(text: ", ") }
                sql.append(assignment.value)
            }
            sql.append(text: ")")
        }
        guard try WriteTransaction(connection).execute(sql) > 0 else { throw TableFailure.ignoredInsert(schema) }
        return connection.lastInsertedRowID
    }

    /// Assignments whose key is evaluated, so that it is known.
    ///
    /// - Returns: The assignments, and the key; nil if it is not known before the insert: then the row has a row id.
    private static func withEvaluatedKey(
        _ given: [Assignment], on connection: Connection
    ) throws -> (assignments: [Assignment], key: Key?) {
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
        return (own + others, try readKey(from: row, at: 0))
    }

    /// The assignments of all columns of a key, with the defaults of those that are not assigned, if the file's table
    /// was created WITHOUT ROWID: there is no row id by which the key could be read afterwards.
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
            guard let info = infos.first(where: { Identifier.areSame($0.name, name) }), let sql = info.defaultExpression
            else { return nil }
            // What the column makes of it: a default TRUE is the text 1, and '1' the number.
            let type = info.declaredType.uppercased()
            let isText = ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) }
            let cast = type.contains("INT") ? "NUMERIC" : isText ? "TEXT" : nil
            return Assignment(column: name, value: SQL(verbatim: cast.map { "CAST((\(sql)) AS \($0))" } ?? "(\(sql))"))
        }
    }

    /// The key of the row that was inserted last.
    private static func storedKey(rowID: Int64, on connection: Connection) throws -> Key {
        guard let name = try connection.columnInfos(of: schema.name).freeRowIDName else {
            throw TableFailure.missingKey(schema)
        }
        let columns = try schema.keyColumns()
        let list = columns.map { Identifier.quote($0.name) }.joined(separator: ", ")
        let sql = SQL(verbatim: "SELECT \(list) FROM main.\(schema.quotedName) WHERE \(name) = ?", [.integer(rowID)])
        let key = try Query<Self>.firstRow(sql, on: connection) { row -> Key? in
            let isKnown = try columns.indices.allSatisfy { try Value(from: row, at: $0) != .null }
            return isKnown ? try readKey(from: row, at: 0) : nil
        }
        guard let found = key else { throw TableFailure.notStored(schema) }
        guard let found else { throw TableFailure.missingKey(schema) }
        return found
    }
}
