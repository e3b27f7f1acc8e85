/// The table with the number of the newest transaction that can no longer be undone, for each history: it has lost a
/// change by the history's limits, or its entries no longer mean what the table's columns mean; and the number of the
/// newest change whose former values have another form than the columns. Also the last number of a dropped history, and
/// the number of the newest change up to which the numbers of changes of each row are within a limit.
enum PrunedHistory {
    static let table = "strongroom_history"
    static let creation = """
        CREATE TABLE IF NOT EXISTS \(table) (name TEXT PRIMARY KEY NOT NULL, pruned INTEGER NOT NULL, \
        unread INTEGER NOT NULL DEFAULT 0, last INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0, \
        most INTEGER NOT NULL DEFAULT 0)
        """
}

extension Connection {
    /// Records that a transaction, and earlier ones, can no longer be undone.
    func recordPruning(of history: String, through transaction: Int64) throws {
        try raise("pruned", of: history, to: transaction)
    }

    /// Records that the changes of a table's history can no longer be undone, since the table changes without it; does
    /// nothing for a table without one.
    ///
    /// - Parameter column: A column whose former values have another form from now on, and are no longer read.
    func breakHistory(of table: String, unread column: String? = nil) throws {
        let name = HistoryTable.name(of: table)
        let columns = try columnInfos(of: name).map(\.name)
        guard HistoryTable.ownColumns.allSatisfy({ Identifier.index(of: $0, in: columns) != nil }) else { return }
        try run(PrunedHistory.creation)
        let newest = "FROM main.\(Identifier.quote(name))"
        if case .integer(let transaction)? = try ownValue("SELECT max(transaction_id) \(newest)") {
            try recordPruning(of: name, through: transaction)
        }
        guard let column, Identifier.index(of: HistoryTable.formerName(of: column), in: columns) != nil,
            case .integer(let change)? = try ownValue("SELECT max(change) \(newest)")
        else { return }
        try raise("unread", of: name, to: change)
    }

    /// Keeps the last number of a history that is dropped, so that a later one continues with the next; does nothing
    /// for any other table.
    func keepNumbers(of history: String) throws {
        let columns = try columnInfos(of: history).map(\.name)
        let needed = HistoryTable.ownColumns + [HistoryTable.moved]
        guard needed.allSatisfy({ Identifier.index(of: $0, in: columns) != nil }),
            case .integer(let last)? = try ownValue(
                "SELECT seq FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE", .text(history))
        else { return }
        try run(PrunedHistory.creation)
        try raise("last", of: history, to: last)
    }

    /// Continues with the numbers of a history that was dropped.
    func continueNumbers(of history: String) throws {
        let sql = "SELECT last FROM main.\(PrunedHistory.table) WHERE name = ?"
        guard case .integer(let last)? = try ownValue(sql, .text(history)), last > 0 else { return }
        let own = "FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE"
        if case .integer(let present)? = try ownValue("SELECT seq \(own)", .text(history)), present >= last { return }
        try run("DELETE \(own)", .text(history))
        try run("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)", .text(history), .integer(last))
    }

    /// Renames the entry of a history. A dropped history may have had the new name before: its numbers are not used
    /// again.
    func renameEntry(of history: String, to newName: String) throws {
        let table = PrunedHistory.table
        try run("INSERT OR IGNORE INTO \(table) (name, pruned) VALUES (?, 0)", .text(history))
        let sql = "SELECT last FROM \(table) WHERE name = ?"
        let last = try ownValue(sql, .text(newName))
        try run("DELETE FROM \(table) WHERE name = ?", .text(newName))
        try run("UPDATE \(table) SET name = ?2 WHERE name = ?1", .text(history), .text(newName))
        if case .integer(let number)? = last { try raise("last", of: newName, to: number) }
    }

    /// The number of the newest change up to which no row has more than a number of changes; 0 if that is not known.
    func countedChanges(of history: String, most: Int) throws -> Int64 {
        let sql = "SELECT counted FROM main.\(PrunedHistory.table) WHERE name = ? AND most = ?"
        guard case .integer(let number)? = try ownValue(sql, .text(history), .integer(Int64(most))) else { return 0 }
        return number
    }

    /// Records that no row has more than a number of changes, up to the present ones.
    func recordCount(of history: String, most: Int) throws {
        let newest = "SELECT max(change) FROM main.\(Identifier.quote(history))"
        let number = try ownValue(newest) ?? .null
        let table = PrunedHistory.table
        try run("INSERT OR IGNORE INTO \(table) (name, pruned) VALUES (?, 0)", .text(history))
        try run(
            "UPDATE \(table) SET counted = ifnull(?2, 0), most = ?3 WHERE name = ?1", .text(history), number,
            .integer(Int64(most)))
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
