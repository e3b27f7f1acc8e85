/// Renames the history of a table that is renamed. Runs in the caller's savepoint.
struct HistoryRenaming {
    private let connection: Connection
    private let table: (old: String, new: String)
    private let history: (old: String, new: String)
    private let triggers: [SchemaEntry]

    /// - Returns: Nil if the table has no history.
    /// - Throws: ``StrongroomError`` with `schemaChange` if the new name of the history, or of one of its indexes, is
    ///   taken.
    init?(_ connection: Connection, _ name: String, _ newName: String) throws {
        let entries = try connection.schemaEntries()
        let table = try connection.tableEntry(name, in: entries).name
        let history = HistoryTable.name(of: table)
        let columns = try connection.columnInfos(of: history).map(\.name)
        guard HistoryTable.ownColumns.allSatisfy({ Identifier.index(of: $0, in: columns) != nil }) else { return nil }
        self.connection = connection
        self.table = (table, newName)
        let newHistory = HistoryTable.name(of: newName)
        self.history = (history, newHistory)
        let names = HistoryTable.triggerNames(of: table)
        triggers = entries.filter { $0.kind == .trigger && Identifier.index(of: $0.name, in: names) != nil }
        let newNames = [newHistory, "\(newHistory)_row", "\(newHistory)_moved"]
        if let taken = entries.first(where: { Identifier.index(of: $0.name, in: newNames) != nil }) {
            throw ColumnChange.refusal(
                """
                The history of table "\(table)" would be named "\(newHistory)", and "\(taken.name)" exists already; \
                rename or drop that one first.
                """,
                connection)
        }
    }

    /// Drops the triggers, before the table is renamed.
    func stop() throws {
        for trigger in triggers { try connection.run("DROP TRIGGER main.\(Identifier.quote(trigger.name))") }
    }

    /// Renames the history and its indexes, and creates the triggers again, after the table is renamed.
    func resume() throws {
        let entries = try connection.schemaEntries()
        let old = try connection.tableEntry(history.old, in: entries).name
        try TableRenaming(connection, old, history.new).run()
        for part in ["row", "moved"] {
            let name = "\(history.old)_\(part)"
            guard let index = entries.first(where: { $0.kind == .index && Identifier.areSame($0.name, name) }) else {
                continue
            }
            try connection.run("DROP INDEX main.\(Identifier.quote(index.name))")
            try connection.run(renamed(index))
        }
        try connection.keepNumbers(of: history.new)
        try connection.renameEntry(of: history.old, to: history.new)
        try connection.continueNumbers(of: history.new)
        for trigger in triggers { try connection.run(renamed(trigger)) }
        connection.forgetUserStatements()
    }

    /// The text of an index or a trigger that the library has created, with the new names.
    private func renamed(_ entry: SchemaEntry) -> String {
        var tokens = entry.tokens
        for position in tokens.indices {
            guard let before = tokens.significant(before: position) else { continue }
            if before.isWord("TRIGGER", "INDEX"), tokens[position].isNamed(entry.name) {
                let rest = entry.name.dropFirst(history.old.count)
                tokens[position].text = Identifier.quote(history.new + rest)
            } else if before.isWord("ON", "INTO", "FROM") {
                if tokens[position].isNamed(table.old) { tokens[position].text = Identifier.quote(table.new) }
                if tokens[position].isNamed(history.old) { tokens[position].text = Identifier.quote(history.new) }
            }
        }
        return tokens.sql
    }
}
