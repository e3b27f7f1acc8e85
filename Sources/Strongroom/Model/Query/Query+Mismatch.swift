extension Query {
    /// Adds the table and the row to an error about a value of the wrong type.
    ///
    /// - Parameters:
    ///   - number: The row's index in the query's result, from 0; nil if it is not known.
    @usableFromInline
    func located(_ error: any Error, at number: Int?, on connection: Connection) -> any Error {
        guard let error = error as? StrongroomError, error.mismatch != nil else { return error }
        return error.located(in: Source.schema.name, rowID: number.flatMap { rowID(at: $0, on: connection) })
    }

    /// The id of a row of the result; nil if rows have no id or represent several rows.
    private func rowID(at number: Int, on connection: Connection) -> Int64? {
        guard !clauses.isDistinct else { return nil }
        // The original error is the one to report.
        return try? findRowID(at: number, on: connection)
    }

    private func findRowID(at number: Int, on connection: Connection) throws -> Int64? {
        var clauses = try resolved()
        clauses.limit = 1
        clauses.offset += number
        // With the record's columns, so that the engine returns the rows in the same order.
        let columns = Source.RecordType.columnNames.map(Identifier.quote).joined(separator: ", ")
        let beginning = "SELECT rowid, \(columns) FROM \(Source.schema.quotedName)"
        let statement = try connection.statement(for: clauses.sql(after: beginning))
        defer { statement.finish() }
        return try statement.step() ? Row(statement).integer(at: 0) : nil
    }
}
