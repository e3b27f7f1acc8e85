/// Moving records from the file to memory.
extension Table {
    /// Moves a record from the file to memory, and its children with it: the opposite of ``persist(_:in:)``.
    ///
    /// The row is deleted from the file with the commit; from then on the record exists until the store closes, and is
    /// lost if the process ends before. The engine may overwrite the bytes of the row, which are encrypted, only later.
    ///
    /// The children are those of the table's ``relations``, recursively. They keep their reference: it follows the
    /// record's new key. Triggers of the table run as for a deletion, hooks do not.
    ///
    /// ```swift
    /// let draft = try Contact.moveToMemory(key, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - db: A write transaction.
    /// - Returns: The record's new key: negative if it is the row id, so that the engine can generate the former again;
    ///   otherwise the former. A record that is already in memory is not changed.
    /// - Throws: ``StrongroomError`` with `noSuchRow` if there is no such record; `inMemory` if other rows of the file
    ///   reference it or one of the children, since they would be left without it, or if the table in the file has
    ///   columns that are not declared; `tableDiffers` if several of its rows can have one key; `constraint` if a
    ///   trigger ignores the deletion. Nothing is changed then.
    @discardableResult
    public static func moveToMemory(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Key {
        let connection = db._handle.connection
        try connection.checkTransaction()
        guard try isPresent(key, on: connection) else { throw TableFailure.noSuchRow(schema) }
        guard try !isInMemory(key, in: db) else { return key }
        return try connection.inSavepoint { try moveToMemory(key, [:], Cascade(connection)) }
    }

    /// - Parameter changed: Values that replace those of the row, by column.
    static func moveToMemory(_ key: Key, _ changed: [SQLName: Value], _ cascade: Cascade) throws -> Key {
        let connection = cascade.connection
        // Of rows that reference each other in a cycle, one is found to be referenced.
        guard try cascade.enter(Self.self, key) else { return key }
        try connection.requireUniqueKey(of: schema)
        let memory = try connection.memoryRecords()
        try memory.makePart(of: schema, on: connection)
        guard let part = connection.memoryTable(schema.name) else { throw TableFailure.noSuchRow(schema) }
        try requireDeclaredColumns(part, on: connection)
        let new = try keyInMemory(key, memory, on: connection)
        let (old, values) = (try plainValues(of: key), try plainValues(of: new))
        for relation in relations?.children ?? [] {
            try relation.moveToMemory(childrenOf: old, newKey: values, cascade)
        }
        try followInMemory(from: key, to: new, on: connection)
        try requireNoReferences(old, on: connection)
        let condition = try keyCondition()
        let list = part.columns.map(Identifier.quote).joined(separator: ", ")
        var row = try connection.withOwnStatement(
            "SELECT \(list) FROM main.\(schema.quotedName) WHERE \(condition)", old
        ) { statement in
            guard try statement.step() else { throw TableFailure.noSuchRow(schema) }
            let row = Row(statement)
            return try (0..<row.count).map { try row.value(at: $0) }
        }
        var replaced = changed
        for (column, value) in zip(try schema.keyColumns(), values) { replaced[SQLName(column.name)] = value }
        for (index, name) in part.columns.enumerated() { row[index] = replaced[SQLName(name)] ?? row[index] }
        // Before the insert: of two rows with one key the second would be rejected.
        try connection.withOwnStatement("DELETE FROM main.\(schema.quotedName) WHERE \(condition)", old) {
            try $0.run()
        }
        guard connection.changes > 0 else { throw TableFailure.ignoredDeletion(schema) }
        let parameters = part.columns.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(part.quotedPart) (\(list)) VALUES (\(parameters))"
        try connection.withOwnStatement(sql, row) { try $0.run() }
        connection.recordWrite(of: schema.name)
        return new
    }

    /// The key of a record that moves to memory: the engine may generate a row id again once its row is deleted.
    private static func keyInMemory(_ key: Key, _ memory: MemoryRecords, on connection: Connection) throws -> Key {
        guard schema.rowIDColumn != nil else { return key }
        while true {
            guard let made = Key.generated(rowID: memory.nextKey()) else { return key }
            if try !isPresent(made, on: connection) { return made }
        }
    }

    private static func requireDeclaredColumns(_ part: MemoryTable, on connection: Connection) throws {
        let declared = Set(schema.columns.map { SQLName($0.name) })
        let columns = try connection.columnInfos(of: schema.name)
        guard let other = columns.first(where: { !$0.isHidden && !declared.contains(SQLName($0.name)) }) else { return }
        throw StrongroomError(
            .tableDiffers,
            """
            Table "\(schema.name)" has a column "\(other.name)" in the file that its type does not declare, and whose \
            value would be lost in memory. Declare it.
            """,
            database: connection.database)
    }

    /// Throws if rows of the file reference the row with a key.
    private static func requireNoReferences(_ key: [Value], on connection: Connection) throws {
        let keyNames = try schema.keyColumns().map(\.name)
        let condition = keyNames.map { "parent.\(Identifier.quote($0)) = ?" }.joined(separator: " AND ")
        for table in try connection.schemaNames() {
            for pairs in try connection.references(of: table, to: schema.name, keyNames) {
                // With the parent's column first: its collation counts, as for the engine's foreign keys.
                let same = pairs.map { "parent.\(Identifier.quote($1)) = child.\(Identifier.quote($0))" }
                let sql = """
                    SELECT 1 FROM main.\(Identifier.quote(table)) AS child, main.\(schema.quotedName) AS parent \
                    WHERE \(condition) AND \(same.joined(separator: " AND ")) LIMIT 1
                    """
                guard try connection.withOwnStatement(sql, key, { try $0.step() }) else { continue }
                throw StrongroomError(
                    .inMemory,
                    """
                    A row of table "\(table)" in the file references the row of table "\(schema.name)", which \
                    therefore cannot move to memory. Add its table to the `relations` as children, so that it moves \
                    along, or delete or change it first.
                    """,
                    database: connection.database)
            }
        }
    }
}

extension Children {
    func moveToMemory(childrenOf old: [Value], newKey new: [Value], _ cascade: Cascade) throws {
        try cascade.connection.prepareTable(Child.schema)
        let column = SQLName(try reference.column().definition.name)
        guard let value = new.first else { return }
        let table = "main.\(Child.schema.quotedName)"
        for child in try children(of: old, in: table, on: cascade.connection) {
            _ = try Child.moveToMemory(child, [column: value], cascade)
        }
    }
}

extension Connection {
    /// The references of a table to another one: for each, the pairs of referencing and referenced columns.
    ///
    /// - Parameter key: The columns that a reference without columns refers to.
    fileprivate func references(
        of table: String, to parent: String, _ key: [String]
    ) throws -> [[(column: String, parent: String)]] {
        let rows = try ownRows("PRAGMA foreign_key_list(\(Identifier.quote(table)))")
        var found: [Value: [(column: String, parent: String)]] = [:]
        for row in rows where row.count > 4 {
            guard let name = row[2].asText, Identifier.areSame(name, parent), let column = row[3].asText else {
                continue
            }
            let pairs = found[row[0], default: []]
            // In the order of the columns.
            guard let referenced = row[4].asText ?? (key.indices.contains(pairs.count) ? key[pairs.count] : nil) else {
                continue
            }
            found[row[0]] = pairs + [(column, referenced)]
        }
        return Array(found.values)
    }
}

extension TableFailure {
    fileprivate static func ignoredDeletion(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .writeRefused,
            """
            A trigger of table "\(schema.name)" ignored the deletion of the row, which therefore stays in the file; \
            fix the trigger.
            """)
    }
}
