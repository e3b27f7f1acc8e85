extension Reading where Self: ~Copyable {
    /// Runs a query of your own and reads its rows as records.
    ///
    /// ```swift
    /// let cards = try db.fetch(NameCard.self, "SELECT name, phone FROM contact WHERE age > \(limit)")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The record's type; the query's columns are its ``Record/columnNames``, in that order.
    ///   - sql: The query; values are interpolated.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql`, `typeMismatch`, or the engine's failure.
    @inlinable
    public func fetch<R: Record>(_ type: R.Type, _ sql: SQL) throws -> [R] {
        let statement = try handle.connection.statement(for: sql)
        defer { statement.finish() }
        var records: [R] = []
        let row = Row(statement)
        while try statement.step() {
            records.append(try R(row: row))
        }
        return records
    }
}
