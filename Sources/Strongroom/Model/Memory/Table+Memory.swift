/// Records that are in memory only.
extension Table {
    /// Removes a record from memory, and keeps a row in the file.
    ///
    /// `delete` does the same unless another process has written a row with the same key: every query of the table then
    /// throws `constraint` until the in-memory record is removed.
    ///
    /// ```swift
    /// for key in try Contact.keysInMemory(in: db) { try Contact.discard(key, in: db) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - db: A write transaction.
    /// - Returns: Whether there was such a record in memory.
    /// - Throws: ``StrongroomError`` with the engine's error.
    @discardableResult
    public static func discard(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Bool {
        let connection = db._handle.connection
        try connection.checkTransaction()
        guard try deleteInMemory(key, on: connection) else { return false }
        connection.recordWrite(of: schema.name)
        try connection.memoryRecords().recordDiscard(on: connection)
        return true
    }

    /// Whether a record is in memory only.
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - db: A transaction.
    /// - Returns: False for a record in the file, and if there is no such record.
    /// - Throws: ``StrongroomError`` with the engine's error.
    public static func isInMemory(_ key: Key, in db: borrowing some Reading & ~Copyable) throws -> Bool {
        let connection = db._handle.connection
        try connection.checkTransaction()
        guard let part = connection.memoryTable(schema.name) else { return false }
        let sql = "SELECT 1 FROM \(part.quotedPart) WHERE \(try keyCondition())"
        return try connection.withOwnStatement(sql, plainValues(of: key)) { try $0.step() }
    }

    /// The keys of the records that are in memory only.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The keys, smallest first.
    /// - Throws: ``StrongroomError`` with the engine's error.
    public static func keysInMemory(in db: borrowing some Reading & ~Copyable) throws -> [Key] {
        let connection = db._handle.connection
        try connection.checkTransaction()
        guard let part = connection.memoryTable(schema.name) else { return [] }
        let columns = try schema.keyColumns().map { Identifier.quote($0.name) }.joined(separator: ", ")
        return try connection.withOwnStatement("SELECT \(columns) FROM \(part.quotedPart) ORDER BY \(columns)") {
            statement in
            var keys: [Key] = []
            let row = Row(statement)
            while try statement.step() { keys.append(try readKey(from: row, at: 0)) }
            return keys
        }
    }

    static func keyCondition() throws -> String {
        try schema.keyColumns().map { "\(Identifier.quote($0.name)) = ?" }.joined(separator: " AND ")
    }

    // MARK: Temporary table

    static func insertInMemory(_ given: RecordType, on connection: Connection) throws -> Key {
        let record = try RecordType.upkeep.map { try stamped(given, $0, on: connection) } ?? given
        try validateInsert(record)
        try connection.checkTransaction()
        try connection.prepareTable(schema)
        let memory = try connection.memoryRecords()
        let (keyed, key) = try withKey(record, memory, on: connection)
        try memory.makePart(of: schema, on: connection)
        let table = MemoryTable.quotedPart(of: schema.name)
        let statement = try connection.statement(nil) {
            let statements = TableStatements(schema, RecordType.columnNames, table: table)
            return (try statements.insert(withKey: true), try statements.defaults())
        }
        defer { statement.finish() }
        try keyed.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        try statement.run()
        connection.recordWrite(of: schema.name)
        return key
    }

    /// The record with a key; if it had none, with a new one.
    private static func withKey(
        _ record: RecordType, _ memory: MemoryRecords, on connection: Connection
    ) throws -> (RecordType, Key) {
        if let key = key(of: record) { return (record, key) }
        while true {
            guard let key = Key.made() ?? Key.generated(rowID: memory.nextKey()) else {
                throw TableFailure.missingKey(schema)
            }
            guard try !isPresent(key, on: connection) else { continue }
            var keyed = record
            setKey(key, of: &keyed)
            return (keyed, key)
        }
    }

    /// Updates the in-memory row with a key, if there is none in the file.
    @usableFromInline
    static func updateInMemory(
        _ record: RecordType, at key: Key, _ operation: Int, except leftOut: [Int], on connection: Connection
    ) throws -> Bool {
        guard let part = connection.memoryTable(schema.name) else { return false }
        return try update(record, at: key, operation, except: leftOut, part: part.quotedPart, on: connection)
    }

    /// Deletes the in-memory row with a key.
    @usableFromInline
    static func deleteInMemory(_ key: Key, on connection: Connection) throws -> Bool {
        guard let part = connection.memoryTable(schema.name) else { return false }
        let sql = "DELETE FROM \(part.quotedPart) WHERE \(try keyCondition())"
        try connection.withOwnStatement(sql, plainValues(of: key)) { try $0.run() }
        return connection.changes > 0
    }

    /// Deletes all in-memory rows.
    static func truncateInMemory(on connection: Connection) throws -> Int {
        guard let part = connection.memoryTable(schema.name) else { return 0 }
        try connection.run("DELETE FROM \(part.quotedPart)")
        return connection.changes
    }
}
