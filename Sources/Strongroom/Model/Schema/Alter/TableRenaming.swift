/// Gives a table another name. Runs in a savepoint of the caller's.
///
/// The engine renames the table, its indexes and the references to it; views and the bodies of triggers only from
/// SQLite 3.25 on. Before, their texts are edited here.
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
        try connection.requireVisible(newName, isTemporary: false)
        let broken = Set(try connection.brokenStatements(entries).values.map(\.entry.title))
        let sql = "ALTER TABLE \(Identifier.quote(name)) RENAME TO \(Identifier.quote(newName))"
        try connection.run(sql)
        guard !(try EngineFeatures.current().hasRenameColumn) else { return }
        let changed = try connection.schemaEntries().compactMap { entry -> SchemaEntry? in
            guard entry.kind == .view || entry.kind == .trigger else { return nil }
            let sql = edited(entry.tokens).sql
            guard sql != entry.sql else { return nil }
            return SchemaEntry(kind: entry.kind, name: entry.name, table: entry.table, sql: sql)
        }
        try connection.rewriteSchema(changed)
        let now = try connection.brokenStatements(try connection.schemaEntries())
        if let first = now.values.first(where: { !broken.contains($0.entry.title) }) {
            throw ColumnChange.refusal(
                """
                \(first.entry.title) uses table "\(name)" and cannot follow (\(first.words)); drop it first, and make \
                it again.
                """,
                connection)
        }
    }

    /// A view or trigger with the table's name replaced where a table's name can stand.
    private func edited(_ tokens: [SQLToken]) -> [SQLToken] {
        var edited = tokens
        var isInTables = false
        for place in tokens.indices {
            let token = tokens[place]
            if token.isWord("FROM", "JOIN", "INTO", "UPDATE", "IN") { isInTables = true }
            if token.isWord("SELECT", "WHERE", "SET", "VALUES", "GROUP", "ORDER", "LIMIT", "BEGIN", "ON", "USING") {
                isInTables = false
            }
            guard token.isNamed(name) else { continue }
            let before = tokens.significant(before: place)
            let isQualifier = tokens.significant(after: place)?.isSign(".") == true && before?.isSign(".") != true
            let isTable =
                isInTables && (before?.isSign(",") == true || before?.isSign("(") == true || before?.kind == .word)
                && before?.isWord("AS") != true
            if isQualifier || isTable { edited[place].text = Identifier.quote(newName) }
        }
        return edited
    }
}
