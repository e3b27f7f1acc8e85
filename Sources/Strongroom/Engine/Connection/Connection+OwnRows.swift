extension Connection {
    /// All rows of a statement of the library's own.
    func ownRows(_ sql: String, _ values: Value...) throws -> [[Value]] {
        try withOwnStatement(sql, values) { statement in
            var rows: [[Value]] = []
            while try statement.step() {
                let row = Row(statement)
                rows.append(try (0..<row.count).map { try row.value(at: $0) })
            }
            return rows
        }
    }

    /// Changes the journal mode.
    ///
    /// - Parameter mode: The mode, such as `WAL`.
    /// - Returns: Whether the file is in that mode now.
    func setJournalMode(_ mode: String) throws -> Bool {
        // The statement has to run to its end: it returns the mode before it writes the first page, which may fail.
        try ownRows("PRAGMA journal_mode = \(mode)") == [[.text(mode.lowercased())]]
    }
}
