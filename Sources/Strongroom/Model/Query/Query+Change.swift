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
        let assignments = Source.made(assignments)
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
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, `typeMismatch`, `schemaChange` if several
    ///   rows of the file's table can have one key, or the engine's failure; then no row is changed.
    public func update<R: Record>(
        in db: borrowing some Writing & ~Copyable, returning type: R.Type,
        _ assignments: (Source.Columns) -> [Assignment]
    ) throws -> [R] {
        let assignments = Source.made(assignments)
        let connection = db._handle.connection
        try connection.prepareTable(Source.schema)
        try connection.requireUniqueKey(of: Source.schema)
        return try connection.inSavepoint {
            let db = WriteTransaction(connection)
            let keys = try keys(after: assignments, on: connection)
            for rows in try Self.rows(with: keys.map(\.old)) { try rows.update(in: db) { _ in assignments } }
            return try Self.records(type, keys.map(\.new), on: connection)
        }
    }

    /// The columns that identify a row.
    private static func keyNames() throws -> [String] {
        Source.schema.hasKey ? try Source.schema.keyColumns().map(\.name) : ["rowid"]
    }

    /// The keys of the query's rows, and those that the rows will have.
    ///
    /// The rows are those that ``resolved()`` gives, and only they are changed: among rows that are equal in the
    /// query's order, a second query could choose others at its limit.
    private func keys(
        after assignments: [Assignment], on connection: Connection
    ) throws -> [(old: [Value], new: [Value])] {
        let names = try Self.keyNames()
        var sql = SQL(verbatim: "SELECT " + names.map(Identifier.quote).joined(separator: ", "))
        for name in names {
            sql.append(text: ", ")
            // If a column is assigned several times, the last one counts, as in the engine.
            let assigned = assignments.last { Identifier.areSame($0.column, name) }
            sql.append(assigned?.value ?? .name(name))
        }
        var clauses = try resolved()
        if clauses.orderings.isEmpty, Source.schema.hasKey { clauses = try orderedByKey(descending: false).clauses }
        sql.append(clauses.sql(after: " FROM \(Source.schema.quotedName)"))
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        var keys: [(old: [Value], new: [Value])] = []
        while try statement.step() {
            let values = try (0..<row.count).map { try Value(from: row, at: $0) }
            keys.append((Array(values.prefix(names.count)), Array(values.suffix(names.count))))
        }
        return keys
    }

    /// Queries of exactly the rows with some keys: one query if the key has one column, else one for each row.
    private static func rows(with keys: [[Value]]) throws -> [Query] {
        let names = try keyNames()
        guard names.count == 1, !keys.contains([.null]) else { return keys.map { rows(names, $0) } }
        var query = Query()
        query.clauses.add(Condition("\(SQL.name(names[0])) IN (\(SQL(listing: keys.flatMap { $0 })))"))
        return keys.isEmpty ? [] : [query]
    }

    private static func rows(_ names: [String], _ key: [Value]) -> Query {
        var query = Query()
        for (name, value) in zip(names, key) {
            let condition: Condition =
                value == .null ? Condition("\(SQL.name(name)) IS NULL") : Condition(.name(name), " = ", value: value)
            query.clauses.add(condition)
        }
        return query
    }

    /// The records with some keys, as they are stored; without those of rows that do not exist.
    static func records<R: Record>(_ type: R.Type, _ keys: [[Value]], on connection: Connection) throws -> [R] {
        try keys.compactMap { try firstRow(row(of: R.columnNames, $0), on: connection) { row in try R(row: row) } }
    }

    /// Selects columns of the row with a key.
    static func row(of columns: [String], _ key: [Value]) throws -> SQL {
        let columns = columns.map(Identifier.quote).joined(separator: ", ")
        return rows(try keyNames(), key).clauses.sql(after: "SELECT \(columns) FROM \(Source.schema.quotedName)")
    }

    /// Reads a query's first row; nil if it has none.
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
