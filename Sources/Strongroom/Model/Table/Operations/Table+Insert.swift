extension Table {
    /// Inserts a record.
    ///
    /// ```swift
    /// let key = try Contact.insert(contact, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; if it has no key, the engine generates one.
    ///   - db: A write transaction.
    /// - Returns: The row's key.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, or `missingKey` if the key is nil and keys
    ///   of its type are not generated, or the file does not declare the key as INTEGER PRIMARY KEY; errors of
    ///   `validateInsert`.
    @inlinable
    @discardableResult
    public static func insert(_ record: RecordType, in db: borrowing some Writing & ~Copyable) throws -> Key {
        let connection = db._handle.connection
        guard let hooks else { return try insert(record, on: connection) }
        var copy = record
        return try withHooks(&copy, hooks, on: connection) { record in
            let key = try insert(record, on: connection)
            adopt(key, .inserted, in: &record, on: connection)
            return key
        }
    }

    @inlinable
    static func insert(_ record: RecordType, on connection: Connection) throws -> Key {
        guard let upkeep = RecordType._upkeep else { return try insertRow(record, on: connection) }
        return try insertRow(stamped(record, upkeep, on: connection), on: connection)
    }

    @inlinable
    static func insertRow(_ record: RecordType, on connection: Connection) throws -> Key {
        let known = key(of: record)
        if known == nil, let key = generatedKey(on: connection) {
            return try insert(record, withKey: key, on: connection)
        }
        try validateInsert(record)
        let hasKey = known != nil
        let operation = OperationKey(Self.self, hasKey ? Operation.insertWithKey : Operation.insert)
        let statement = try Self.statement(operation, on: connection, isInsert: true) { statements in
            if !hasKey { try requireGeneratedKeys(on: connection) }
            return try statements.insert(withKey: hasKey)
        }
        defer { statement.finish() }
        try record.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        if known == nil, Key.generated(rowID: 0) == nil { throw schema.missingKey }
        try statement.run()
        guard connection.changes > 0 else { throw schema.ignoredInsert }
        if let known { return known }
        guard let generated = Key.generated(rowID: connection.lastInsertedRowID) else {
            throw schema.missingKey
        }
        return generated
    }

    /// Throws for a record without a key if the engine does not generate one; a key column with a default uses that.
    @usableFromInline
    static func requireGeneratedKeys(on connection: Connection) throws {
        // A key type that is never generated is reported for each record.
        guard Key.generated(rowID: 0) != nil, schema.primaryKeys.allSatisfy({ $0.defaultValue == nil }) else { return }
        try connection.requireGeneratedKeys(of: schema)
    }

    /// The key that the library gives a new record; nil if the engine does.
    @inlinable
    static func generatedKey(on connection: Connection) -> Key? {
        Key.generate() ?? (connection.makesRowIDs ? Key.generated(rowID: .random(in: Connection.generatedRowIDs)) : nil)
    }

    @inlinable
    static func insert(_ record: RecordType, withKey generated: Key, on connection: Connection) throws -> Key {
        var keyed = record
        setKey(generated, of: &keyed)
        guard key(of: keyed) == generated else { throw schema.missingKey }
        return try insertRow(keyed, on: connection)
    }
}

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
    /// - Returns: The row's key: the one that is assigned or generated or, in a table with row ids, that
    ///   is a column's default.
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
        if let assignment = try generatedKey(for: given) { given.append(assignment) }
        let (evaluated, key) = try withEvaluatedKey(given, on: connection)
        if let key {
            _ = try insert(with: evaluated, on: connection)
            return key
        }
        try requireGeneratedKeys(on: connection)
        if schema.primaryKeys.allSatisfy({ $0.defaultValue == nil }), Key.generated(rowID: .max) != nil {
            // Each row id is a key.
            let rowID = try insert(with: evaluated, on: connection)
            guard let key = Key.generated(rowID: rowID) else { throw schema.missingKey }
            return key
        }
        return try connection.inSavepoint {
            try storedKey(rowID: insert(with: evaluated, on: connection), on: connection)
        }
    }

    /// The assignment of a key of a type that the library generates; nil for another type, or an assigned key.
    private static func generatedKey(for given: [Assignment]) throws -> Assignment? {
        guard schema.primaryKeys.count == 1, let column = schema.primaryKeys.first, column.defaultValue == nil,
            !given.contains(where: { Identifier.areSame($0.column, column.name) }), let key = Key.generate()
        else { return nil }
        return Assignment(column: column.name, value: "\(try plainValues(of: key)[0])")
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
        guard try WriteTransaction(connection).execute(sql) > 0 else { throw schema.ignoredInsert }
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
        let assigned = names.compactMap { name in given.first { Identifier.areSame($0.column, name) } }
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
        let key = try names.indices.map { try SQLValue(from: row, at: $0) }
        // The engine generates the row id in place of NULL, and no other key.
        guard !key.contains(.null) else { return (given, nil) }
        let others = given.filter { Identifier.index(of: $0.column, in: names) == nil }
        let own = zip(names, key).map { name, value in Assignment(column: name, value: "\(value)") }
        return (own + others, try readKey(from: row, at: 0))
    }

    /// The key of the row that was inserted last; missing in a table WITHOUT ROWID, whose key has to be assigned.
    private static func storedKey(rowID: Int64, on connection: Connection) throws -> Key {
        guard let name = try connection.rowIDName(of: schema.name) else {
            throw schema.missingKey
        }
        let columns = try schema.keyColumns()
        let list = columns.map { Identifier.quote($0.name) }.joined(separator: ", ")
        let sql = SQL(verbatim: "SELECT \(list) FROM main.\(schema.quotedName) WHERE \(name) = ?", [.integer(rowID)])
        let key = try Query<Self>.firstRow(sql, on: connection) { row -> Key? in
            let isKnown = try columns.indices.allSatisfy { try SQLValue(from: row, at: $0) != .null }
            return isKnown ? try readKey(from: row, at: 0) : nil
        }
        guard let found = key else { throw schema.notStored }
        guard let found else { throw schema.missingKey }
        return found
    }
}
