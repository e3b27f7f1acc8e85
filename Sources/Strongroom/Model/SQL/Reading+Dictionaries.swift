extension Reading where Self: ~Copyable {
    /// Runs a query and returns each row as a dictionary, by column name.
    ///
    /// ```swift
    /// let rows = try db.dictionaries("SELECT name, age / 10 AS decade FROM contact WHERE age > \(limit)")
    /// for row in rows { print(row["name"]?.string ?? "", row["decade"]?.int ?? 0) }
    /// ```
    ///
    /// For rows of a known form a record is faster and typed: `fetch(_:_:)`.
    ///
    /// - Parameter sql: The query; values are interpolated. Give a column that is computed a name, with `AS`.
    /// - Returns: The rows in order; NULL is ``Value/null``, not a missing value.
    /// - Throws: ``StrongroomError`` with `sql` (also if two columns have one name, which the message tells),
    ///   `notAuthorized`, `readOnly`, or the engine's error.
    public func dictionaries(_ sql: SQL) throws -> [[String: Value]] {
        try rows(of: sql, limit: .max)
    }

    /// Runs a query and returns its first row as a dictionary, by column name.
    ///
    /// ```swift
    /// let totals = try db.dictionary("SELECT count(*) AS number, max(age) AS oldest FROM contact")
    /// ```
    ///
    /// - Parameter sql: The query; values are interpolated.
    /// - Returns: The row, or nil if the query returns none.
    /// - Throws: As ``dictionaries(_:)``.
    public func dictionary(_ sql: SQL) throws -> [String: Value]? {
        try rows(of: sql, limit: 1).first
    }

    private func rows(of sql: SQL, limit: Int) throws -> [[String: Value]] {
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        var rows: [[String: Value]] = []
        // Before the names are read: the engine prepares a statement again at its first step if the schema has changed.
        var hasRow = try statement.step()
        let row = Row(statement)
        let names = (0..<row.count).map { row.name(at: $0) ?? "" }
        if let name = Self.firstDuplicate(names) {
            throw StrongroomError(
                .sql,
                """
                The query returns two columns with the name "\(name)", and a dictionary has one value for each name; \
                name one of them differently, with AS.
                """,
                sql: sql.text)
        }
        while hasRow, rows.count < limit {
            var found = [String: Value](minimumCapacity: names.count)
            for (index, name) in names.enumerated() { found[name] = try row.value(at: index) }
            rows.append(found)
            hasRow = try rows.count < limit && statement.step()
        }
        return rows
    }

    private static func firstDuplicate(_ names: [String]) -> String? {
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }
    }
}
