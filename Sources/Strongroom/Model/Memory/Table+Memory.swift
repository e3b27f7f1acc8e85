/// Records that are in memory alone.
extension Table {
    /// Inserts a record on the disk or in memory alone.
    ///
    /// A record in memory is found by every query of its table together with those on the disk, sorted, limited,
    /// counted and joined with them, in any transaction of the store that begins after the commit. It is updated and
    /// deleted as they are. Nothing of it is written to the file, its log or any other file, and it is gone when the
    /// store closes.
    ///
    /// ```swift
    /// let draft = try Contact.insert(contact, persistence: .memory, in: db)
    /// try Contact.persist(draft, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; one in memory that has no key gets a negative one, so that it never meets those that the
    ///     engine makes on the disk.
    ///   - persistence: Where it is kept.
    ///   - db: A write transaction.
    /// - Returns: The record's key.
    /// - Throws: As `insert(_:in:)`; ``StrongroomError`` with `constraint` also when a row on the disk has the same key
    ///   or the same value in a unique column.
    @discardableResult
    public static func insert(
        _ record: RecordType, persistence: Persistence, in db: borrowing some Writing & ~Copyable
    ) throws -> Key {
        guard persistence == .memory else { return try insert(record, in: db) }
        return try insertInMemory(record, on: db.handle.connection)
    }

    /// Inserts a record on the disk or in memory alone, and writes the key that it got into it.
    ///
    /// - Parameters:
    ///   - record: The record; unchanged when the insert fails.
    ///   - persistence: Where it is kept.
    ///   - db: A write transaction.
    /// - Throws: As the other form.
    public static func insert(
        _ record: inout RecordType, persistence: Persistence, in db: borrowing some Writing & ~Copyable
    ) throws {
        setKey(try insert(record, persistence: persistence, in: db), of: &record)
    }

    /// Moves a record from memory to the disk.
    ///
    /// ```swift
    /// let key = try Contact.persist(draft, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - db: A write transaction.
    /// - Returns: The key that it has now: another one when it was a negative integer, as those have that got theirs in
    ///   memory. One that is on the disk already stays as it is.
    /// - Throws: ``StrongroomError`` with `noSuchRow` when there is no such record, `constraint`, also when a trigger
    ///   ignores it; it is in memory then as before.
    @discardableResult
    public static func persist(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Key {
        let connection = db.handle.connection
        guard let part = connection.memoryTable(schema.name), try isInMemory(key, in: db) else {
            guard try isPresent(key, on: connection) else { throw TableFailure.noSuchRow(schema) }
            return key
        }
        return try connection.inSavepoint { try move(key, from: part, on: connection) }
    }

    /// Removes a record from memory, and leaves what is on the disk.
    ///
    /// `delete` does so, too, as long as no other process has written a row with the same key; where one has, every
    /// query of the table throws
    /// `constraint` until the record in memory is removed.
    ///
    /// ```swift
    /// for key in try Contact.keysInMemory(in: db) { try Contact.discard(key, in: db) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - db: A write transaction.
    /// - Returns: Whether there was such a record in memory.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    @discardableResult
    public static func discard(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Bool {
        let connection = db.handle.connection
        try connection.checkTransaction()
        guard try deleteInMemory(key, on: connection) else { return false }
        connection.noteWrite(of: schema.name)
        try connection.memoryRecords().noteDiscard(on: connection)
        return true
    }

    /// Whether a record is in memory alone.
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - db: A transaction.
    /// - Returns: False for one that is on the disk, and where there is none.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public static func isInMemory(_ key: Key, in db: borrowing some Reading & ~Copyable) throws -> Bool {
        let connection = db.handle.connection
        try connection.checkTransaction()
        guard let part = connection.memoryTable(schema.name) else { return false }
        let sql = "SELECT 1 FROM \(part.quotedPart) WHERE \(try keyCondition())"
        return try connection.withOwnStatement(sql, plainValues(of: key)) { try $0.step() }
    }

    /// The keys of the records that are in memory alone.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The keys, smallest first.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public static func keysInMemory(in db: borrowing some Reading & ~Copyable) throws -> [Key] {
        let connection = db.handle.connection
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

    // MARK: The part in memory

    private static func insertInMemory(_ record: RecordType, on connection: Connection) throws -> Key {
        try validateInsert(record)
        try connection.checkTransaction()
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
        connection.noteWrite(of: schema.name)
        return key
    }

    /// The record with a key, one that no other has if it had none.
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
        // First: of two rows with one key the second would be refused.
        try connection.withOwnStatement("DELETE FROM \(part.quotedPart) WHERE \(condition)", values) { try $0.run() }
        var fields = Array(zip(list, row))
        var isKeyMade = false
        if let name = schema.rowIDColumn?.name, case .integer(let number)? = values.first, number < 0 {
            fields.removeAll { Identifier.areSame($0.0, Identifier.quote(name)) }
            isKeyMade = true
            try requireMadeKeys(on: connection)
        }
        let names = fields.map(\.0).joined(separator: ", ")
        let places = fields.map { _ in "?" }.joined(separator: ", ")
        let sql =
            fields.isEmpty
            ? "INSERT INTO main.\(schema.quotedName) DEFAULT VALUES"
            : "INSERT INTO main.\(schema.quotedName) (\(names)) VALUES (\(places))"
        try connection.withOwnStatement(sql, fields.map(\.1)) { try $0.run() }
        // A trigger may have ignored it, and the record in memory must not be lost.
        guard connection.changes > 0 else { throw TableFailure.ignoredInsert(schema) }
        connection.noteWrite(of: schema.name)
        guard isKeyMade else { return key }
        guard let made = Key.generated(rowID: connection.lastInsertedRowID) else {
            throw TableFailure.missingKey(schema)
        }
        return made
    }

    /// Writes a record into the row in memory with a key, where there is none on the disk.
    @usableFromInline
    static func updateInMemory(
        _ record: RecordType, at key: Key, _ operation: Int, except leftOut: [Int], on connection: Connection
    ) throws -> Bool {
        guard let part = connection.memoryTable(schema.name) else { return false }
        return try update(record, at: key, operation, except: leftOut, part: part.quotedPart, on: connection)
    }

    /// Deletes the row in memory with a key.
    @usableFromInline
    static func deleteInMemory(_ key: Key, on connection: Connection) throws -> Bool {
        guard let part = connection.memoryTable(schema.name) else { return false }
        let sql = "DELETE FROM \(part.quotedPart) WHERE \(try keyCondition())"
        try connection.withOwnStatement(sql, plainValues(of: key)) { try $0.run() }
        return connection.changes > 0
    }

    /// Deletes every row in memory.
    static func truncateInMemory(on connection: Connection) throws -> Int {
        guard let part = connection.memoryTable(schema.name) else { return 0 }
        try connection.run("DELETE FROM \(part.quotedPart)")
        return connection.changes
    }
}
