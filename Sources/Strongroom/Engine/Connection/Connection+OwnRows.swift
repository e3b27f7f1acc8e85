extension Connection {
    /// All rows of the library's own SQL.
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

    /// Goes over to another way of keeping what a transaction may have to undo.
    ///
    /// - Parameter mode: Such as `WAL`.
    /// - Returns: Whether the file is in that mode now.
    func setJournalMode(_ mode: String) throws -> Bool {
        // To the statement's end: the mode is answered before the first page is written, which may fail.
        try ownRows("PRAGMA journal_mode = \(mode)") == [[.text(mode.lowercased())]]
    }
}
