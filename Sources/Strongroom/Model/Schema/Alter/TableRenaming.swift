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
                let isOfHistory = HistoryTable.triggerNames(of: entry.table).contains {
                    Identifier.areSame($0, entry.name)
                }
                return (entry.kind == .view || entry.kind == .trigger && !isOfHistory)
                    && entry.tokens.contains { $0.isNamed(name) }
            }
        }
        let other = users(entries).first { entry in
            entry.tokens.indices.contains { position in
                guard entry.tokens[position].isNamed(newName) else { return false }
                guard entry.tokens.significant(before: position)?.text == ".",
                    let dot = entry.tokens[..<position].lastIndex(where: { $0.text == "." })
                else { return true }
                // A column of a table, but for a table of a database.
                return entry.tokens.significant(before: dot).map { $0.isNamed("main") || $0.isNamed("temp") } ?? true
            }
        }
        if let other {
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

extension Connection {
    /// Renames a table, and its history if it has one, whose triggers are dropped meanwhile. Runs in the caller's
    /// savepoint.
    func renameTableWithHistory(_ name: String, to newName: String) throws {
        let entries = try schemaEntries()
        let table = try tableEntry(name, in: entries).name
        let (history, newHistory) = (HistoryTable.name(of: table), HistoryTable.name(of: newName))
        guard try historyColumns(history) != nil else { return try renameTable(table, to: newName) }
        let newNames = [newHistory, "\(newHistory)_row", "\(newHistory)_moved"]
        if let taken = entries.first(where: { Identifier.index(of: $0.name, in: newNames) != nil }) {
            throw refusal(
                """
                The history of table "\(table)" would be named "\(newHistory)", and "\(taken.name)" exists already; \
                rename or drop that one first.
                """)
        }
        let triggerNames = HistoryTable.triggerNames(of: table)
        let triggers = entries.filter { $0.kind == .trigger && Identifier.index(of: $0.name, in: triggerNames) != nil }
        for trigger in triggers { try run("DROP TRIGGER main.\(Identifier.quote(trigger.name))") }
        try renameTable(table, to: newName)
        try renameTable(history, to: newHistory)
        let names = [(table, newName), (history, newHistory)]
        let indexNames = ["\(history)_row", "\(history)_moved"]
        for index in try schemaEntries()
        where index.kind == .index && Identifier.index(of: index.name, in: indexNames) != nil {
            try run("DROP INDEX main.\(Identifier.quote(index.name))")
            try run(index.renamed(newHistory + index.name.dropFirst(history.count), names))
        }
        try keepNumbers(of: newHistory)
        try renameEntry(of: history, to: newHistory)
        try continueNumbers(of: newHistory)
        for trigger in triggers { try run(trigger.renamed(newHistory + trigger.name.dropFirst(history.count), names)) }
        forgetUserStatements()
    }
}

extension SchemaEntry {
    /// The text of an index or a trigger that the library has created, with a new name and new names of tables.
    fileprivate func renamed(_ newName: String, _ tables: [(old: String, new: String)]) -> String {
        var tokens = tokens
        for position in tokens.indices {
            guard let before = tokens.significant(before: position) else { continue }
            if before.isWord("TRIGGER", "INDEX"), tokens[position].isNamed(name) {
                tokens[position].text = Identifier.quote(newName)
            } else if before.isWord("ON", "INTO", "FROM"),
                let table = tables.first(where: { tokens[position].isNamed($0.old) })
            {
                tokens[position].text = Identifier.quote(table.new)
            }
        }
        return tokens.sql
    }
}
