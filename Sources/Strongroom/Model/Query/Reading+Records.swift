extension Reading where Self: ~Copyable {
    /// Runs an SQL query and reads its rows as records.
    ///
    /// ```swift
    /// let cards = try db.fetch(NameCard.self, "SELECT name, phone FROM contact WHERE age > \(limit)")
    /// ```
    ///
    /// Columns are matched by name, in any order, including names given with `AS`; the case of the letters A to Z is
    /// ignored. Columns that the record does not have are not read.
    ///
    /// - Parameters:
    ///   - type: The record's type; the query must return each of its ``Record/columnNames`` exactly once.
    ///   - sql: The query; values are interpolated.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql` (also if the query does not return a column of the record, or returns
    ///   it twice: the message names it), `typeMismatch`, or the engine's failure.
    @inlinable
    public func fetch<R: Record>(_ type: R.Type, _ sql: SQL) throws -> [R] {
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        var records: [R] = []
        // Before the names are compared: the engine prepares a statement again at its first step if the schema has
        // changed.
        let hasRow = try statement.step()
        let row = try statement.row(for: R.self, R.columnNames)
        guard hasRow else { return [] }
        records.append(try R(row: row))
        try statement.fetch(into: &records) { try R(row: row) }
        return records
    }
}
