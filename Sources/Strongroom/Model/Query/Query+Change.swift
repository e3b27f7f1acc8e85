extension Query {
    /// Updates columns of the query's rows.
    ///
    /// ```swift
    /// let moved = try Contact.where { $0.city == "Bonn" }.update(in: db) { [$0.city.set("Köln")] }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A write transaction.
    ///   - assignments: Makes the assignments from the table's columns; with none, nothing is changed.
    /// - Returns: The number of rows of the query.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, `tableDiffers` for a query with a limit if
    ///   several rows of the file's table can have one key, or the engine's failure; then no row is changed.
    @discardableResult
    public func update(
        in db: borrowing some Writing & ~Copyable,
        _ assignments: (Source.Columns) -> [Assignment]
    ) throws -> Int {
        let assignments = Source.evaluate(assignments)
        guard !assignments.isEmpty else { return try count(in: db) }
        return try update(
            with: Source.completed(assignments, isNew: false, on: db._handle.connection), in: db)
    }

    /// Updates columns of the query's rows, without those that the table keeps by itself.
    ///
    /// - Parameter assignments: At least one.
    @discardableResult
    func update(with assignments: [Assignment], in db: borrowing some Writing & ~Copyable) throws -> Int {
        try prepareChange(on: db._handle.connection)
        var sql = SQL(verbatim: "UPDATE \(Source.schema.quotedName) SET ")
        for (index, assignment) in assignments.enumerated() {
            sql.append(text: "\(index == 0 ? "" : ", ")\(Identifier.quote(assignment.column)) = ")
            sql.append(assignment.value)
        }
        if let rows = try unsorted() { sql.append(" WHERE \(rows.sql)" as SQL) }
        return try db.execute(sql)
    }

    /// Deletes the rows of the query.
    ///
    /// - Parameter db: A write transaction.
    /// - Returns: The number of deleted rows.
    /// - Throws: ``StrongroomError`` with `constraint` when other rows refer to one of them, `tableDiffers` as
    ///   ``update(in:_:)``, or the engine's failure.
    @discardableResult
    public func delete(in db: borrowing some Writing & ~Copyable) throws -> Int {
        try prepareChange(on: db._handle.connection)
        var sql = SQL(verbatim: "DELETE FROM \(Source.schema.quotedName)")
        if let rows = try unsorted() { sql.append(" WHERE \(rows.sql)" as SQL) }
        return try db.execute(sql)
    }

    /// Throws if other rows than those of the query would be changed: those of a query with a limit are found by their
    /// keys.
    private func prepareChange(on connection: Connection) throws {
        try connection.prepareTable(Source.schema)
        if clauses.hasLimit { try connection.requireUniqueKey(of: Source.schema) }
    }
}

extension Query {
    static func firstRow<T>(
        _ sql: SQL, on connection: Connection, _ read: (borrowing Row) throws -> T
    ) throws -> T? {
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        guard try statement.step() else { return nil }
        do {
            return try read(Row(statement))
        } catch {
            guard let error = error as? StrongroomError, error.mismatch != nil else { throw error }
            throw error.located(in: Source.schema.name, rowID: nil)
        }
    }
}
