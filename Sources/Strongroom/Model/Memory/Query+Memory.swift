/// Changes the rows of a query on a table with rows in the file and in memory.
extension Query {
    /// The temporary table with in-memory records, if there is one.
    func partInMemory(in db: borrowing some Writing & ~Copyable) throws -> MemoryTable? {
        let connection = db._handle.connection
        guard connection.hasRecordsInMemory else { return nil }
        try connection.checkDuplicatesInMemory(of: Source.schema.name)
        return connection.memoryTable(Source.schema.name)
    }

    func update(
        both part: MemoryTable, _ assignments: [Assignment], in db: borrowing some Writing & ~Copyable
    ) throws -> Int {
        // A subquery must not copy values from memory to the file.
        let isAsking = assignments.contains { $0.value.text.asciiFolded.contains("select") }
        return try change(part, isAsking: isAsking, in: db) { table, rows in
            guard isAsking, table == part.quotedPart else { return try updating(table, assignments, rows) }
            // A subquery refers to the row by the table's name.
            let name = MemoryTable.partName(of: Source.schema.name)
            let own = assignments.map { assignment in
                let value = assignment.value.renamingTable(Source.schema.name, to: name)
                return Assignment(column: assignment.column, value: value)
            }
            return try updating(table, own, rows)
        }
    }

    func delete(both part: MemoryTable, in db: borrowing some Writing & ~Copyable) throws -> Int {
        try change(part, in: db) { table, rows in deleting(table, rows) }
    }

    /// Runs a statement on both tables. The affected in-memory rows, and with a limit the rows of both tables, are
    /// determined first: an earlier change could affect which rows match.
    ///
    /// - Parameter isAsking: Whether the statement contains a subquery, which then reads only the rows in the file.
    private func change(
        _ part: MemoryTable, isAsking: Bool = false, in db: borrowing some Writing & ~Copyable,
        _ statement: (String, Condition?) throws -> SQL
    ) throws -> Int {
        let connection = db._handle.connection
        let main = Source.schema.quotedName
        let changes: [(table: String, condition: Condition?)]
        if try isAsking || resolved().hasLimit {
            try connection.requireUniqueKey(of: Source.schema)
            let conditions = try conditions(of: keys(of: main, on: connection))
            changes = conditions.flatMap { [("main.\(main)", $0), (part.quotedPart, $0)] }
        } else {
            let conditions = try conditions(of: keys(of: part.quotedPart, on: connection))
            changes = [(main, try unsorted())] + conditions.map { (part.quotedPart, $0) }
        }
        return try connection.inSavepoint {
            var count = 0
            for change in changes {
                // A subquery in the condition reads both tables, too.
                let expressions = isAsking ? nil : try connection.memoryRecords().expressions
                var sql = SQL(verbatim: expressions.map { "WITH \($0) " } ?? "")
                sql.append(try statement(change.table, change.condition))
                count += try Self.run(sql, on: connection)
            }
            connection.recordWrite(of: Source.schema.name)
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
        let sql = try resolved().sql(after: "SELECT \(columns) FROM \(table) AS \(Source.schema.quotedName)")
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
