extension Reading where Self: ~Copyable {
    /// The names of a query's result columns, also if it returns no rows.
    ///
    /// ```swift
    /// let header = try db.columnNames(of: "SELECT name, size FROM package")
    /// ```
    ///
    /// - Parameter sql: The query, which is not executed; values are interpolated.
    /// - Returns: The names in order, as the engine reports them; empty for a statement without a result.
    /// - Throws: ``StrongroomError`` with `sql`, `notAuthorized`, or the engine's error.
    public func columnNames(of sql: SQL) throws -> [String] {
        let statement = try _handle.connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        return (0..<row.count).map { row.name(at: $0) ?? "" }
    }
}
