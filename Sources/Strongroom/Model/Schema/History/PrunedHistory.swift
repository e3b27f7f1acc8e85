/// The table with the number of the newest transaction that can no longer be undone, for each history: it has lost a
/// change by the history's limits, or its entries no longer mean what the table's columns mean; and the number of the
/// newest change whose former values have another form than the columns.
enum PrunedHistory {
    static let table = "strongroom_history"
    static let creation = """
        CREATE TABLE IF NOT EXISTS \(table) (name TEXT PRIMARY KEY NOT NULL, pruned INTEGER NOT NULL, \
        unread INTEGER NOT NULL DEFAULT 0)
        """
}

extension Connection {
    /// Records that a transaction, and earlier ones, can no longer be undone.
    func notePruning(of history: String, through transaction: Int64) throws {
        try raise("pruned", of: history, to: transaction)
    }

    /// Records that the changes of a table's history can no longer be undone, since the table changes without it; does
    /// nothing for a table without one.
    ///
    /// - Parameter column: A column whose former values have another form from now on, and are no longer read.
    func breakHistory(of table: String, unread column: String? = nil) throws {
        let name = HistoryTable.name(of: table)
        let columns = try columnInfos(of: name).map(\.name)
        guard HistoryTable.ownColumns.allSatisfy({ Identifier.place(of: $0, in: columns) != nil }) else { return }
        try run(PrunedHistory.creation)
        let newest = "FROM main.\(Identifier.quote(name))"
        if case .integer(let transaction)? = try ownValue("SELECT max(transaction_id) \(newest)") {
            try notePruning(of: name, through: transaction)
        }
        guard let column, Identifier.place(of: HistoryTable.formerName(of: column), in: columns) != nil,
            case .integer(let change)? = try ownValue("SELECT max(change) \(newest)")
        else { return }
        try raise("unread", of: name, to: change)
    }

    private func raise(_ column: String, of history: String, to number: Int64) throws {
        let table = PrunedHistory.table
        try run("INSERT OR IGNORE INTO \(table) (name, pruned) VALUES (?, 0)", .text(history))
        try run("UPDATE \(table) SET \(column) = max(\(column), ?2) WHERE name = ?1", .text(history), .integer(number))
    }

    /// The number of the newest change of a history whose former values are not read; 0 if all are.
    func unreadChanges(of history: String) throws -> Int64 {
        let sql = "SELECT unread FROM main.\(PrunedHistory.table) WHERE name = ?"
        guard case .integer(let number)? = try ownValue(sql, .text(history)) else { return 0 }
        return number
    }
}
