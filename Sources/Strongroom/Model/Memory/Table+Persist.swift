/// Moving records from memory to the file.
extension Table {
    /// Moves a record from memory to the file, and its children that are in memory with it.
    ///
    /// The children are those of the table's ``relations``, recursively. They keep their reference: it follows the
    /// record's new key.
    ///
    /// ```swift
    /// let key = try Contact.persist(draft, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - db: A write transaction.
    /// - Returns: The record's new key: different from the former if that was a negative integer, as generated in
    ///   memory. A record that is already in the file is not changed.
    /// - Throws: ``StrongroomError`` with `noSuchRow` if there is no such record, `constraint`, also if a trigger
    ///   ignores an insert, or if a record references another one that is in memory; all then remain in memory.
    @discardableResult
    public static func persist(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Key {
        let connection = db._handle.connection
        guard connection.memoryTable(schema.name) != nil, try isInMemory(key, in: db) else {
            guard try isPresent(key, on: connection) else { throw TableFailure.noSuchRow(schema) }
            return key
        }
        return try connection.inSavepoint {
            let new = try moveToFile(key, on: connection)
            try persistChildren(of: new, on: connection)
            return new
        }
    }

    /// Moves a record to the file; its children in memory then reference its new key.
    static func moveToFile(_ key: Key, on connection: Connection) throws -> Key {
        guard let part = connection.memoryTable(schema.name) else { throw TableFailure.noSuchRow(schema) }
        let new = try move(key, from: part, on: connection)
        try followInMemory(from: key, to: new, on: connection)
        return new
    }

    /// Makes the children in memory of a record that was moved reference its new key.
    static func followInMemory(from key: Key, to new: Key, on connection: Connection) throws {
        let (old, values) = (try plainValues(of: key), try plainValues(of: new))
        guard old != values else { return }
        for relation in relations?.children ?? [] {
            try relation.followInMemory(from: old, to: values, on: connection)
        }
    }

    /// Moves the children in memory of a record in the file.
    static func persistChildren(of key: Key, on connection: Connection) throws {
        let values = try plainValues(of: key)
        for relation in relations?.children ?? [] { try relation.persistChildren(of: values, on: connection) }
    }

    private static func move(_ key: Key, from part: MemoryTable, on connection: Connection) throws -> Key {
        let values = try plainValues(of: key)
        let condition = try keyCondition()
        let list = part.columns.map(Identifier.quote)
        let row = try connection.withOwnStatement(
            "SELECT \(list.joined(separator: ", ")) FROM \(part.quotedPart) WHERE \(condition)", values
        ) { statement in
            guard try statement.step() else { throw TableFailure.noSuchRow(schema) }
            let row = Row(statement)
            return try (0..<row.count).map { try row.value(at: $0) }
        }
        // Before the insert: of two rows with one key the second would be rejected.
        try connection.withOwnStatement("DELETE FROM \(part.quotedPart) WHERE \(condition)", values) { try $0.run() }
        var fields = Array(zip(list, row))
        var isKeyMade = false
        if let name = schema.rowIDColumn?.name, case .integer(let number)? = values.first, number < 0 {
            fields.removeAll { Identifier.areSame($0.0, Identifier.quote(name)) }
            isKeyMade = true
            try requireGeneratedKeys(on: connection)
        }
        let names = fields.map(\.0).joined(separator: ", ")
        let parameters = fields.map { _ in "?" }.joined(separator: ", ")
        let sql =
            fields.isEmpty
            ? "INSERT INTO main.\(schema.quotedName) DEFAULT VALUES"
            : "INSERT INTO main.\(schema.quotedName) (\(names)) VALUES (\(parameters))"
        try connection.withOwnStatement(sql, fields.map(\.1)) { try $0.run() }
        // A trigger may have ignored the insert, and the in-memory record must not be lost.
        guard connection.changes > 0 else { throw TableFailure.ignoredInsert(schema) }
        connection.recordWrite(of: schema.name)
        guard isKeyMade else { return key }
        guard let made = Key.generated(rowID: connection.lastInsertedRowID) else {
            throw TableFailure.missingKey(schema)
        }
        return made
    }
}

extension Children {
    func followInMemory(from old: [Value], to new: [Value], on connection: Connection) throws {
        guard let part = connection.memoryTable(Child.schema.name) else { return }
        let column = Identifier.quote(try reference.column().definition.name)
        let sql = "UPDATE \(part.quotedPart) SET \(column) = ? WHERE \(column)\(collation) = ?"
        try connection.withOwnStatement(sql, new + old) { try $0.run() }
        if connection.changes > 0 { connection.recordWrite(of: Child.schema.name) }
    }

    func persistChildren(of key: [Value], on connection: Connection) throws {
        guard let part = connection.memoryTable(Child.schema.name) else { return }
        for child in try children(of: key, in: part.quotedPart, on: connection) {
            let new = try Child.moveToFile(child, on: connection)
            try Child.persistChildren(of: new, on: connection)
        }
    }

    /// The collation of the parents' key, with which the engine resolves references, as a clause.
    private var collation: String { (Source.keyCollation ?? .binary).sql }

    /// The keys of a record's children in one of the child's two tables.
    func children(of key: [Value], in table: String, on connection: Connection) throws -> [Child.Key] {
        let keys = try Child.schema.keyColumns().map { Identifier.quote($0.name) }.joined(separator: ", ")
        let column = Identifier.quote(try reference.column().definition.name)
        let sql = "SELECT \(keys) FROM \(table) WHERE \(column)\(collation) = ? ORDER BY \(keys)"
        return try connection.withOwnStatement(sql, key) { statement in
            var found: [Child.Key] = []
            let row = Row(statement)
            while try statement.step() { found.append(try Child.readKey(from: row, at: 0)) }
            return found
        }
    }
}
