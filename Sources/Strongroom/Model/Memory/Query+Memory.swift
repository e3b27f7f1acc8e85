/// Changing the rows of a query that has some on the disk and some in memory.
extension Query {
    /// The table's part in memory, if it has one.
    func partInMemory(_ db: borrowing some Writing & ~Copyable) throws -> MemoryTable? {
        let connection = db.handle.connection
        guard connection.hasRecordsInMemory else { return nil }
        try connection.checkDuplicatesInMemory(of: Source.schema.name)
        return connection.memoryTable(Source.schema.name)
    }

    func update(
        both part: MemoryTable, _ assignments: [Assignment], in db: borrowing some Writing & ~Copyable
    ) throws -> Int {
        // What it asks of other rows must not carry anything from memory to the disk.
        let isAsking = assignments.contains { $0.value.text.asciiFolded.contains("select") }
        return try change(part, in: db, isAsking: isAsking) { table, rows in try updating(table, assignments, rows) }
    }

    func delete(both part: MemoryTable, in db: borrowing some Writing & ~Copyable) throws -> Int {
        try change(part, in: db) { table, rows in deleting(table, rows) }
    }

    /// Runs a statement on both parts. Which rows of the part in memory it is about is found first, and after a limit
    /// those of both: what is changed first could let others in.
    ///
    /// - Parameter isAsking: Whether the statement itself asks for rows, which it then finds on the disk alone.
    private func change(
        _ part: MemoryTable, in db: borrowing some Writing & ~Copyable, isAsking: Bool = false,
        _ statement: (String, Condition?) throws -> SQL
    ) throws -> Int {
        let connection = db.handle.connection
        let main = Source.schema.quotedName
        let changes: [(table: String, condition: Condition?)]
        if try isAsking || resolved().hasLimit {
            let conditions = try conditions(of: keys(of: main, on: connection))
            changes = conditions.flatMap { [("main.\(main)", $0), (part.quotedPart, $0)] }
        } else {
            let conditions = try conditions(of: keys(of: part.quotedPart, on: connection))
            changes = [(main, try unsorted())] + conditions.map { (part.quotedPart, $0) }
        }
        return try connection.inSavepoint {
            var count = 0
            for change in changes {
                // What its condition asks for stands in both parts, too.
                let expressions = isAsking ? nil : try connection.memoryRecords().expressions
                var sql = SQL(verbatim: expressions.map { "WITH \($0) " } ?? "")
                sql.append(try statement(change.table, change.condition))
                count += try Self.run(sql, on: connection)
            }
            connection.noteWrite(of: Source.schema.name)
            return count
        }
    }

    private static func run(_ sql: SQL, on connection: Connection) throws -> Int {
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        let before = connection.totalChanges
        try statement.run()
        return connection.totalChanges == before ? 0 : connection.changes
    }

    private func keys(of table: String, on connection: Connection) throws -> [Source.Key] {
        let columns = try Source.schema.keyColumns().map { Identifier.quote($0.name) }.joined(separator: ", ")
        let sql = try resolved().sql(after: "SELECT \(columns) FROM \(table)")
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        var keys: [Source.Key] = []
        while try statement.step() { keys.append(try Source.readKey(from: row, at: 0)) }
        return keys
    }

    private func conditions(of keys: [Source.Key]) throws -> [Condition?] {
        try keys.map { try Query().where(key: $0).unsorted() }
    }
}
