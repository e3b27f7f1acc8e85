/// Who needs a column of a table, as far as the texts of the schema tell.
struct ColumnUsers {
    private let change: ColumnChange
    private let column: String

    init(_ change: ColumnChange, _ column: String) {
        self.change = change
        self.column = column
    }

    private var table: String { change.table.name }

    /// - Parameter declared: The place of the column's own declaration.
    func all(except declared: Int) -> [String] {
        constraints(except: declared) + indexes() + triggersAndViews()
    }

    private func constraints(except declared: Int) -> [String] {
        change.text.items.enumerated().compactMap { place, item in
            guard place != declared, !CreateTableText.mentions(of: column, of: table, in: item).isEmpty else {
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

    /// What the engine would not miss: the columns that set a trigger off, and names in double quotes, which it takes
    /// for texts where there is no such column. All else shows when the views and triggers are tried.
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

    /// The names of the table and of the views that give its column on under its name, also one through the other.
    private func sources() -> Set<SQLName> {
        var sources: Set = [SQLName(table)]
        var waiting = change.entries.filter { $0.kind == .view && mayGiveOn($0) }
            .map { (name: SQLName($0.name), tokens: $0.tokens) }
        while let place = waiting.firstIndex(where: { $0.tokens.names(anyOf: sources) }) {
            sources.insert(waiting.remove(at: place).name)
        }
        return sources
    }

    /// Whether a view has a column of the name that is not another one's alias.
    private func mayGiveOn(_ view: SchemaEntry) -> Bool {
        let tokens = view.tokens
        let isRead = tokens.indices.contains { tokens[$0].isSign("*") || tokens.isColumn(column, at: $0) }
        // A view that is broken already has no columns.
        let columns = isRead ? (try? change.connection.columnInfos(of: view.name)) ?? [] : []
        return columns.contains { Identifier.areSame($0.name, column) }
    }
}

extension [SQLToken] {
    /// Whether one of some names stands in the statement.
    fileprivate func names(anyOf names: Set<SQLName>) -> Bool {
        contains { $0.name.map { names.contains(SQLName($0)) } ?? false }
    }

    /// Where a `CREATE INDEX` uses a column: in the list or behind WHERE.
    func columnMentions(_ column: String) -> [Int] {
        guard let open = firstIndex(where: { $0.isSign("(") }) else { return [] }
        return indices.filter { $0 > open && isColumn(column, at: $0) }
    }

    /// Where a `CREATE TRIGGER` has the columns of `UPDATE OF`.
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
    /// Without the white space around it.
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
