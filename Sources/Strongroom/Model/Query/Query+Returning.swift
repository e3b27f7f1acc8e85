extension Query {
    /// Updates columns of the query's rows and returns them as they are afterwards.
    ///
    /// ```swift
    /// let moved = try Contact.where { $0.city == "Bonn" }
    ///     .update(in: db, returning: Contact.self) { [$0.city.set("Köln")] }
    /// ```
    ///
    /// The result is the same with every engine: the rows are read again by their keys, after triggers have run, and
    /// not by `RETURNING`, which older engines lack and which reports neither the order nor the changes of triggers.
    ///
    /// - Parameters:
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    ///   - assignments: Makes the assignments from the table's columns; with none, nothing is changed.
    /// - Returns: The records, in the order of the query and finally by key; those of rows that the query matched
    ///   before the update.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, `typeMismatch`, or the engine's failure;
    ///   then no row is changed.
    public func update<R: Record>(
        in db: borrowing some Writing & ~Copyable, returning type: R.Type,
        _ assignments: (Source.Columns) -> [Assignment]
    ) throws -> [R] {
        let assignments = Source.made(assignments)
        let connection = db.handle.connection
        try connection.prepareTable(Source.schema)
        return try connection.inSavepoint {
            let db = WriteTransaction(connection)
            let keys = try keys(after: assignments, on: connection)
            try update(in: db) { _ in assignments }
            return try Self.records(type, keys, on: connection)
        }
    }

    /// Deletes the rows of the query and returns them as they were.
    ///
    /// ```swift
    /// let gone = try Contact.where { $0.lastSeen < limit }.delete(in: db, returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - db: A write transaction.
    ///   - type: The record's type; its columns are columns of the table.
    /// - Returns: The records, in the order of the query and finally by key.
    /// - Throws: ``StrongroomError`` with `constraint` when other rows refer to one of them, `typeMismatch`, or the
    ///   engine's failure; then no row is deleted.
    public func delete<R: Record>(
        in db: borrowing some Writing & ~Copyable, returning type: R.Type
    ) throws -> [R] {
        let records = try sortedByKey().fetch(as: type, in: db)
        try delete(in: db)
        return records
    }

    private func sortedByKey() throws -> Query {
        var sorted = Source.schema.hasKey ? try orderedByKey(descending: false) : self
        sorted.clauses.isDistinct = false
        return sorted
    }

    /// The columns that identify a row.
    private static func keyNames() throws -> [String] {
        Source.schema.hasKey ? try Source.schema.keyColumns().map(\.name) : ["rowid"]
    }

    /// The keys that the query's rows will have.
    private func keys(after assignments: [Assignment], on connection: Connection) throws -> [[Value]] {
        var sql: SQL = "SELECT "
        for (place, name) in try Self.keyNames().enumerated() {
            if place > 0 { sql.append(text: ", ") }
            // If a column is assigned several times, the last one counts, as in the engine.
            let assigned = assignments.last { Identifier.areSame($0.column, name) }
            sql.append(assigned?.value ?? .name(name))
        }
        sql.append(try sortedByKey().resolved().sql(after: " FROM \(Source.schema.quotedName)"))
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        var keys: [[Value]] = []
        while try statement.step() {
            keys.append(try (0..<row.count).map { try Value(from: row, at: $0) })
        }
        return keys
    }

    private static func records<R: Record>(_ type: R.Type, _ keys: [[Value]], on connection: Connection) throws -> [R] {
        let columns = R.columnNames.map(Identifier.quote).joined(separator: ", ")
        let names = try keyNames()
        return try keys.compactMap { key in
            var sql = SQL(verbatim: "SELECT \(columns) FROM \(Source.schema.quotedName)")
            for (place, (name, value)) in zip(names, key).enumerated() {
                sql.append(text: place == 0 ? " WHERE " : " AND ")
                sql.append(.name(name))
                sql.append(text: value == .null ? " IS " : " = ")
                sql.append(value: value)
            }
            let statement = try connection.statement(for: sql)
            defer { statement.finish() }
            guard try statement.step() else { return nil }
            do {
                return try R(row: Row(statement))
            } catch {
                guard let error = error as? StrongroomError, error.mismatch != nil else { throw error }
                throw error.located(in: Source.schema.name, rowID: nil)
            }
        }
    }
}
