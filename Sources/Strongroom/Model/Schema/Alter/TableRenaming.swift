extension Connection {
    /// Renames a table. Runs in the caller's savepoint.
    ///
    /// The engine renames the table, its indexes and the references to it; views and the bodies of triggers only from
    /// SQLite 3.25 on: before, one that uses the table is named. Before 3.26 it renames references only while foreign
    /// keys are enforced, which they are not in a migration ("ALTER TABLE", sqlite.org/lang_altertable.html).
    func renameTable(_ table: String, to newName: String) throws {
        try checkTransaction()
        let entries = try schemaEntries()
        let name = try tableEntry(table, in: entries).name
        try requireVisible(newName, isTemporary: false, isVirtual: isVirtual(name, isTemporary: false))
        // A history that is kept for a table.
        let trigger = entries.first { $0.kind == .trigger && Identifier.areSame($0.name, "\(name)_delete") }
        if let trigger, Identifier.areSame(HistoryTable.name(of: trigger.table), name) {
            throw refusal(
                """
                The table "\(name)" is the history of "\(trigger.table)"; rename that table, or call \
                `stopHistory(of:)` for it first.
                """)
        }
        try refuseOtherMeanings(of: name, newName, entries)
        let sql = "ALTER TABLE \(Identifier.quote(name)) RENAME TO \(Identifier.quote(newName))"
        let broken = try brokenObjects { try withForeignKeys { try run(sql) } }
        guard let first = broken.first else { return }
        throw refusal(
            """
            \(first.entry.title) uses table "\(name)" and cannot be updated (\(first.message)); drop it first, and \
            create it again.
            """)
    }

    /// Refuses where a view or trigger might have another meaning afterwards: where it has the new name for something
    /// else, or where it is the connection's own, which older engines leave as it is.
    private func refuseOtherMeanings(of name: String, _ newName: String, _ entries: [SchemaEntry]) throws {
        func users(_ entries: [SchemaEntry]) -> [SchemaEntry] {
            entries.filter { entry in
                (entry.kind == .view || entry.kind == .trigger) && entry.tokens.contains { $0.isNamed(name) }
            }
        }
        if let other = users(entries).first(where: { $0.tokens.contains { $0.isNamed(newName) } }) {
            throw refusal(
                """
                \(other.title) uses table "\(name)", and the name "\(newName)" for something else: it might have \
                another meaning. Drop it first, and create it again, or choose another name.
                """)
        }
        guard !(try EngineFeatures.current().hasRenameColumn) else { return }
        let temporary = users(try schemaEntries(temporary: true))
        guard let other = temporary.first(where: { !$0.name.hasPrefix("strongroom_") }) else { return }
        throw refusal(
            """
            The temporary \(other.title) uses table "\(name)", and this engine does not rename it there; drop it \
            first, and create it again.
            """)
    }
}

/// Renames the history of a table that is renamed. Runs in the caller's savepoint.
struct HistoryRenaming {
    private let connection: Connection
    private let table: (old: String, new: String)
    private let history: (old: String, new: String)
    private let triggers: [SchemaEntry]

    /// - Returns: Nil if the table has no history.
    init?(_ connection: Connection, _ name: String, _ newName: String) throws {
        let entries = try connection.schemaEntries()
        let table = try connection.tableEntry(name, in: entries).name
        let history = HistoryTable.name(of: table)
        guard try connection.historyColumns(history) != nil else { return nil }
        self.connection = connection
        self.table = (table, newName)
        let newHistory = HistoryTable.name(of: newName)
        self.history = (history, newHistory)
        let names = HistoryTable.triggerNames(of: table)
        triggers = entries.filter { $0.kind == .trigger && Identifier.index(of: $0.name, in: names) != nil }
        let newNames = [newHistory, "\(newHistory)_row", "\(newHistory)_moved"]
        if let taken = entries.first(where: { Identifier.index(of: $0.name, in: newNames) != nil }) {
            throw connection.refusal(
                """
                The history of table "\(table)" would be named "\(newHistory)", and "\(taken.name)" exists already; \
                rename or drop that one first.
                """)
        }
    }

    /// Drops the triggers, before the table is renamed.
    func stop() throws {
        for trigger in triggers { try connection.run("DROP TRIGGER main.\(Identifier.quote(trigger.name))") }
    }

    /// Renames the history and its indexes, and creates the triggers again, after the table is renamed.
    func resume() throws {
        let entries = try connection.schemaEntries()
        try connection.renameTable(history.old, to: history.new)
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
