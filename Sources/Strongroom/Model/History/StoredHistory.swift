/// A history that a file keeps, and the table that it is of, without their Swift types.
struct StoredHistory {
    /// The table's name.
    let table: String
    /// The names of the key's columns in the table.
    let keys: [String]
    /// The names of the other columns whose former values are kept and that the table still has.
    let kept: [String]

    var name: String { HistoryTable.name(of: table) }
    var quotedName: String { Identifier.quote(name) }
    var quotedTable: String { Identifier.quote(table) }

    /// The columns of the key's values in the history, quoted.
    var quotedKeys: [String] { keys.map { Identifier.quote(HistoryTable.keyName(of: $0)) } }

    /// The histories that the file keeps: those with triggers.
    static func all(on connection: Connection) throws -> [StoredHistory] {
        let entries = try connection.schemaEntries()
        let triggers = entries.filter { $0.kind == .trigger }.map(\.name)
        return try entries.filter { $0.kind == .table }.compactMap { entry in
            let name = HistoryTable.name(of: entry.name)
            guard Identifier.place(of: "\(name)_delete", in: triggers) != nil else { return nil }
            let columns = try connection.columnInfos(of: name).map(\.name)
            guard HistoryTable.ownColumns.allSatisfy({ Identifier.place(of: $0, in: columns) != nil }) else {
                return nil
            }
            let present = try connection.columnInfos(of: entry.name).filter { $0.generated == nil && !$0.isHidden }
            func isIn(_ name: (String) -> String) -> [String] {
                present.map(\.name).filter { Identifier.place(of: name($0), in: columns) != nil }
            }
            let keys = isIn(HistoryTable.keyName(of:))
            return keys.isEmpty
                ? nil : StoredHistory(table: entry.name, keys: keys, kept: isIn(HistoryTable.formerName(of:)))
        }
    }

    /// The number of the newest change; 0 if there is none.
    func lastChange(on connection: Connection) throws -> Int64 {
        guard case .integer(let last)? = try connection.ownValue("SELECT max(change) FROM main.\(quotedName)") else {
            return 0
        }
        return last
    }

    /// Erases the history of the rows that were deleted after a change.
    func eraseDeleted(since last: Int64, on connection: Connection) throws {
        let keys = quotedKeys.joined(separator: ", ")
        let deleted = try connection.ownRows(
            "SELECT DISTINCT \(keys) FROM main.\(quotedName) WHERE change > ? AND kind = 'delete'", .integer(last))
        let condition = quotedKeys.enumerated().map { "\($1) IS ?\($0 + 1)" }.joined(separator: " AND ")
        for row in deleted {
            try connection.withOwnStatement("DELETE FROM main.\(quotedName) WHERE \(condition)", row) { try $0.run() }
        }
    }
}
