extension Reading where Self: ~Copyable {
    /// Runs a query of your own and reads its rows as records.
    ///
    /// ```swift
    /// let cards = try db.fetch(NameCard.self, "SELECT name, phone FROM contact WHERE age > \(limit)")
    /// ```
    ///
    /// The columns are found by their names, in any order; a name that is given with `AS` counts, the case of the
    /// letters A to Z does not. Columns that the record has not are not read.
    ///
    /// - Parameters:
    ///   - type: The record's type; the query gives each of its ``Record/columnNames`` exactly once.
    ///   - sql: The query; values are interpolated.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql` (also for a column of the record that the query does not give, or gives
    ///   twice: the message names it), `typeMismatch`, or the engine's failure.
    @inlinable
    public func fetch<R: Record>(_ type: R.Type, _ sql: SQL) throws -> [R] {
        let statement = try handle.connection.statement(for: sql)
        defer { statement.finish() }
        var records: [R] = []
        // Before the names are compared: the engine prepares a statement again at its first step when the schema has
        // changed.
        var hasRow = try statement.step()
        let row = try statement.row(for: R.self, R.columnNames)
        while hasRow {
            records.append(try R(row: row))
            hasRow = try statement.step()
        }
        return records
    }
}
