/// Renames a table. Runs in the caller's savepoint.
///
/// The engine renames the table, its indexes and the references to it; views and the bodies of triggers only from
/// SQLite 3.25 on. For earlier versions, their texts are edited here. Before 3.26 it renames references only while
/// foreign keys are enforced, which they are not in a migration ("ALTER TABLE", sqlite.org/lang_altertable.html).
struct TableRenaming {
    private let connection: Connection
    private let name: String
    private let newName: String
    private let entries: [SchemaEntry]

    init(_ connection: Connection, _ name: String, _ newName: String) throws {
        try connection.checkTransaction()
        self.connection = connection
        entries = try connection.schemaEntries()
        self.name = try connection.tableEntry(name, in: entries).name
        self.newName = newName
    }

    func run() throws {
        try connection.requireVisible(
            newName, isTemporary: false, isVirtual: connection.isVirtual(name, isTemporary: false))
        try refuseHistory()
        try refuseOtherMeanings()
        let broken = BrokenStatements(connection, entries)
        let sql = "ALTER TABLE \(Identifier.quote(name)) RENAME TO \(Identifier.quote(newName))"
        try connection.withForeignKeys { try connection.run(sql) }
        guard !(try EngineFeatures.current().hasRenameColumn) else { return }
        let changed = try connection.schemaEntries().compactMap { entry -> SchemaEntry? in
            guard entry.kind == .view || entry.kind == .trigger else { return nil }
            let sql = TableNames(name, in: entry.tokens).renamed(to: newName).sql
            guard sql != entry.sql else { return nil }
            return SchemaEntry(kind: entry.kind, name: entry.name, table: entry.table, sql: sql)
        }
        try connection.rewriteSchema(changed)
        if let first = try connection.brokenStatements().since(broken).first {
            throw ColumnChange.refusal(
                """
                \(first.entry.title) uses table "\(name)" and cannot be updated (\(first.words)); drop it first, \
                and create it again.
                """,
                connection)
        }
    }

    /// Refuses a history that is kept for a table.
    private func refuseHistory() throws {
        let trigger = entries.first { $0.kind == .trigger && Identifier.areSame($0.name, "\(name)_delete") }
        if let trigger, Identifier.areSame(HistoryTable.name(of: trigger.table), name) {
            throw ColumnChange.refusal(
                """
                The table "\(name)" is the history of "\(trigger.table)"; rename that table, or call \
                `stopHistory(of:)` for it first.
                """,
                connection)
        }
    }

    /// Refuses where a view or trigger would have another meaning afterwards and still be one: where the new name is an
    /// alias or a common table expression in it, or where it is the connection's own, which older engines leave as it
    /// is.
    private func refuseOtherMeanings() throws {
        let views = entries.filter { $0.kind == .view || $0.kind == .trigger }
        for entry in views where TableNames(name, in: entry.tokens).areUsed {
            guard TableNames(newName, in: entry.tokens).areUsed else { continue }
            throw ColumnChange.refusal(
                """
                \(entry.title) gives the name "\(newName)" to something else and uses table "\(name)": it would have \
                another meaning. Drop it first, and create it again, or choose another name.
                """,
                connection)
        }
        guard !(try EngineFeatures.current().hasRenameColumn) else { return }
        for entry in try connection.schemaEntries(temporary: true) where entry.kind == .view || entry.kind == .trigger {
            guard TableNames(name, in: entry.tokens).areUsed, !entry.name.hasPrefix("strongroom_") else { continue }
            throw ColumnChange.refusal(
                """
                The temporary \(entry.title) uses table "\(name)", and this engine does not rename it there; drop it \
                first, and create it again.
                """,
                connection)
        }
    }
}

/// Recreates the full-text indexes of a table that is renamed. Runs in the caller's savepoint.
struct FullTextRenaming {
    private let connection: Connection
    private let newName: String
    private let indexes: [StoredFullText]

    init(_ connection: Connection, _ name: String, _ newName: String) throws {
        self.connection = connection
        self.newName = newName
        indexes = StoredFullText.all(in: try connection.schemaEntries(), of: name)
    }

    /// Drops the indexes, before the table is renamed.
    func stop() throws {
        for index in indexes { try connection.dropFullText(index.name) }
    }

    /// Creates the indexes, after the table is renamed.
    func resume() throws {
        let entries = try connection.schemaEntries()
        for index in indexes {
            let renamed = try FullTextTable(
                index.indexName, of: newName, columns: index.columns, tokenizer: index.tokenizer,
                prefixes: index.prefixes, connection, entries)
            try connection.create(renamed, entries)
        }
    }
}
