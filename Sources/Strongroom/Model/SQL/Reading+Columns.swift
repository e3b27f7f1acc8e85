extension Reading where Self: ~Copyable {
    /// The names of the columns that a query gives, also when it gives no row.
    ///
    /// ```swift
    /// let header = try db.columnNames(of: "SELECT name, size FROM package")
    /// ```
    ///
    /// - Parameter sql: The query, which is not run; values are interpolated.
    /// - Returns: The names in order, as the engine gives them; none for a statement without a result.
    /// - Throws: ``StrongroomError`` with `sql`, `notAuthorized`, or the engine's failure.
    public func columnNames(of sql: SQL) throws -> [String] {
        let statement = try handle.connection.statement(for: sql)
        defer { statement.finish() }
        let row = Row(statement)
        return (0..<row.count).map { row.name(at: $0) ?? "" }
    }
}
