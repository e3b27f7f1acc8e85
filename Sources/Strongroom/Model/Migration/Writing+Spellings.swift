extension Writing where Self: ~Copyable {
    /// Rewrites the values of tables that other programs have spelled in another way than the library: UUIDs in lower
    /// case, without hyphens or as 16 bytes; dates as text with an offset, or with other digits than milliseconds;
    /// numeric dates with a fraction that their form does not have; decimals as plain digits in a `DECIMAL_TEXT`
    /// column.
    ///
    /// ```swift
    /// Migration("8") { db in try db.convertSpellings(of: Device.self, Reading.self) }
    /// ```
    ///
    /// Such values are refused when they are read (`typeMismatch`), since the engine compares what is stored;
    /// ``VerificationReport/otherSpellings`` counts them. A date is rounded to what its form holds. Name a table
    /// together with those that reference it: foreign keys are checked when all tables have been rewritten. Triggers do
    /// not run, and a table's history is rewritten, too. Columns that the file does not have yet are skipped.
    ///
    /// - Parameter tables: The types of the tables.
    /// - Returns: The numbers of the rewritten values, by table and column, without zeros.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a value that is none of the column's type, which names the
    ///   row, never the value; `constraint` if another row of a unique column has the same value already, if a
    ///   reference would lose its row, or for a rewritten one that had none; `sql` if there is no such table. Nothing
    ///   was changed then.
    @discardableResult
    public func convertSpellings(of tables: any Table.Type...) throws -> [SpellingCount] {
        let schemas = tables.map { $0.schema }
        record("convert spellings of \(schemas.map(\.name).joined(separator: ", "))")
        let connection = _handle.connection
        func convert() throws -> [SpellingCount] {
            try schemas.flatMap { schema in
                _ = try connection.tableEntry(schema.name, in: try connection.schemaEntries())
                return try connection.convertSpellings(of: schema)
            }
        }
        // The number of statements depends on the rows.
        return try connection.withoutRecording {
            try connection.inSavepoint {
                // A migration compares the references itself.
                guard try connection.ownValue("PRAGMA foreign_keys") == .integer(1) else { return try convert() }
                let before = try DanglingRows(connection)
                let counts = try connection.withoutForeignKeys { try convert() }
                try DanglingComparison(since: before, connection).refuseNew()
                return counts
            }
        }
    }
}
