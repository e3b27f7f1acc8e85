/// Finds the objects that depend on a column of a table, from the texts of the schema.
struct ColumnUsers {
    private let change: ColumnChange
    private let column: String

    init(_ change: ColumnChange, _ column: String) {
        self.change = change
        self.column = column
    }

    private var table: String { change.table.name }

    /// - Parameter declared: The index of the column's own declaration.
    func all(except declared: Int) -> [String] {
        constraints(except: declared) + indexes() + triggersAndViews()
    }

    private func constraints(except declared: Int) -> [String] {
        change.text.items.enumerated().compactMap { position, item in
            guard position != declared, !CreateTableText.mentions(of: column, of: table, in: item).isEmpty else {
                return nil
            }
            if let other = CreateTableText.column(item) { return "the declaration of column \"\(other)\"" }
            return "the constraint \(item.sql.trimmed)"
        }
    }

    private func indexes() -> [String] {
        change.entries
            .filter { $0.kind == .index && Identifier.areSame($0.table, table) }
            .filter { !$0.tokens.columnMentions(column).isEmpty }
            .map(\.title)
    }

    /// Dependencies that the engine would not report: the columns of a trigger's UPDATE OF clause, and names in double
    /// quotes, which the engine treats as string literals if there is no such column. All others show when the views
    /// and triggers are tried.
    private func triggersAndViews() -> [String] {
        let sources = sources()
        return change.entries.filter { entry in
            guard entry.kind == .trigger || entry.kind == .view else { return false }
            let tokens = entry.tokens
            if entry.kind == .trigger, sources.contains(SQLName(entry.table)),
                tokens.triggerColumns.contains(where: { tokens[$0].isNamed(column) })
            {
                return true
            }
            return tokens.names(anyOf: sources)
                && tokens.contains { $0.kind == .quoted && $0.text.hasPrefix("\"") && $0.isNamed(column) }
        }
        .map(\.title)
    }

    /// The names of the table and of the views that expose the column under its name, directly or through another view.
    private func sources() -> Set<SQLName> {
        var sources: Set = [SQLName(table)]
        var waiting = change.entries.filter { $0.kind == .view && mayExposeColumn($0) }
            .map { (name: SQLName($0.name), tokens: $0.tokens) }
        while let position = waiting.firstIndex(where: { $0.tokens.names(anyOf: sources) }) {
            sources.insert(waiting.remove(at: position).name)
        }
        return sources
    }

    /// Whether a view has a column with the name that is not an alias of another column.
    private func mayExposeColumn(_ view: SchemaEntry) -> Bool {
        let tokens = view.tokens
        let isRead = tokens.indices.contains { tokens[$0].isSign("*") || tokens.isColumn(column, at: $0) }
        // A view that is already broken has no columns.
        let columns = isRead ? (try? change.connection.columnInfos(of: view.name)) ?? [] : []
        return columns.contains { Identifier.areSame($0.name, column) }
    }
}

extension [SQLToken] {
    /// Whether one of the names occurs in the statement.
    fileprivate func names(anyOf names: Set<SQLName>) -> Bool {
        contains { $0.name.map { names.contains(SQLName($0)) } ?? false }
    }

    /// The positions at which a `CREATE INDEX` uses a column: in the column list or after WHERE.
    func columnMentions(_ column: String) -> [Int] {
        guard let open = firstIndex(where: { $0.isSign("(") }) else { return [] }
        return indices.filter { $0 > open && isColumn(column, at: $0) }
    }

    /// The range of the `UPDATE OF` columns in a `CREATE TRIGGER`.
    var triggerColumns: Range<Int> {
        guard let update = firstIndex(where: { $0.isWord("UPDATE") }),
            let of = self[update...].firstIndex(where: { $0.isWord("OF") }),
            significant(before: of)?.isWord("UPDATE") == true,
            let on = self[of...].firstIndex(where: { $0.isWord("ON") })
        else { return 0..<0 }
        return of + 1..<on
    }
}

extension String {
    /// The tokens without leading and trailing whitespace.
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
