extension ColumnChange {
    /// Renames a column.
    ///
    /// For an engine without `RENAME COLUMN`, the texts of the schema are edited. In the text of a table or an index,
    /// every name in parentheses is a column of the table, and in that of a trigger one after NEW or OLD. A view or a
    /// trigger that uses the table and the name in any other way is named, and the renaming is rejected.
    func rename(_ column: String, to newName: String) throws {
        _ = try position(of: column)
        guard Identifier.areSame(column, newName) || text.position(of: newName) == nil else {
            throw connection.failure(.sql, "duplicate column name: \(newName).")
        }
        if try EngineFeatures.current().hasRenameColumn {
            let names = [table.name, column, newName].map(Identifier.quote)
            try connection.run("ALTER TABLE \(names[0]) RENAME COLUMN \(names[1]) TO \(names[2])")
            return
        }
        let changed = try entries.compactMap { try $0.with(renamed(column, to: newName, in: $0)) }
        if let first = try connection.brokenObjects(by: { try connection.rewriteSchema(changed) }).first {
            throw refusal(
                """
                \(first.entry.title) uses column "\(column)" of table "\(table.name)" and cannot be updated \
                (\(first.message)); drop it first, and create it again.
                """)
        }
    }

    private func renamed(_ column: String, to newName: String, in entry: SchemaEntry) throws -> String {
        switch entry.kind {
        case .table:
            guard var text = CreateTableText(entry.sql) else { return entry.sql }
            text.rename(column, to: newName, of: table.name, own: Identifier.areSame(entry.name, table.name))
            return text.sql
        case .index:
            guard Identifier.areSame(entry.table, table.name) else { return entry.sql }
            var tokens = entry.tokens
            for position in tokens.columnMentions(column) { tokens[position].text = Identifier.quote(newName) }
            return tokens.sql
        case .trigger, .view:
            return try renamed(column, to: newName, inQuery: entry)
        }
    }

    private func renamed(_ column: String, to newName: String, inQuery entry: SchemaEntry) throws -> String {
        var tokens = entry.tokens
        guard tokens.contains(where: { $0.isNamed(table.name) }) else { return entry.sql }
        let isOwnTrigger = Identifier.areSame(entry.table, table.name)
        let header = tokens.triggerColumns
        for position in tokens.indices.dropFirst(tokens.nameCount) where tokens.isColumn(column, at: position) {
            let qualifier = tokens.qualifier(of: position)
            // A column that is missed here is reported when the views and triggers are tried.
            if qualifier == nil, !header.contains(position), tokens[position].isAmbiguousWord { continue }
            if header.contains(position) || qualifier?.isWord("NEW", "OLD") == true {
                if !isOwnTrigger { continue }
            } else if qualifier == nil, let target = tokens.insertTarget(of: position) {
                if !target.isNamed(table.name) { continue }
            } else {
                throw refusal(
                    """
                    \(entry.title) uses the name "\(column)", and it is not certain that this is the column of \
                    "\(table.name)"; drop it before the column is renamed, and create it again.
                    """)
            }
            tokens[position].text = Identifier.quote(newName)
        }
        return tokens.sql
    }
}

extension [SQLToken] {
    /// The number of tokens of a `CREATE VIEW` or `CREATE TRIGGER` before its query, or its event: the names that it
    /// gives.
    fileprivate var nameCount: Int {
        let isTrigger = prefix(8).contains { $0.isWord("TRIGGER") }
        return firstIndex { token in
            isTrigger ? token.isWord("BEFORE", "AFTER", "INSTEAD", "INSERT", "UPDATE", "DELETE") : token.isWord("AS")
        } ?? 0
    }

    /// The table of an `INSERT` in whose list of columns a position is.
    fileprivate func insertTarget(of position: Int) -> SQLToken? {
        guard let open = self[..<position].lastIndex(where: { $0.isSign("(") || $0.isSign(")") }),
            self[open].isSign("("),
            let name = self[..<open].lastIndex(where: { $0.kind != .space }),
            let before = significant(before: name), before.isWord("INTO") || before.isSign(".")
        else { return nil }
        return self[name]
    }
}

/// The objects that depend on a column of a table, from the texts of the schema.
extension ColumnChange {
    /// - Parameter declared: The index of the column's own declaration.
    func users(of column: String, except declared: Int) -> [String] {
        let constraints = text.items.enumerated().compactMap { position, item -> String? in
            guard position != declared, !CreateTableText.mentions(of: column, of: table.name, in: item).isEmpty else {
                return nil
            }
            if let other = CreateTableText.column(item) { return "the declaration of column \"\(other)\"" }
            return "the constraint \(item.sql.trimmed)"
        }
        let indexes = entries.filter { entry in
            entry.kind == .index && Identifier.areSame(entry.table, table.name)
                && !entry.tokens.columnMentions(column).isEmpty
        }
        return constraints + (indexes + triggersAndViews(column)).map(\.title)
    }

    /// Dependencies that the engine would not report: the columns of a trigger's UPDATE OF clause, and names in double
    /// quotes, which the engine treats as string literals if there is no such column. All others show when the views
    /// and triggers are tried.
    private func triggersAndViews(_ column: String) -> [SchemaEntry] {
        let sources = sources(of: column)
        return entries.filter { entry in
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
    }

    /// The names of the table and of the views that expose the column under its name, directly or through another view.
    private func sources(of column: String) -> Set<SQLName> {
        var sources: Set = [SQLName(table.name)]
        var waiting = entries.filter { $0.kind == .view && mayExpose(column, $0) }
            .map { (name: SQLName($0.name), tokens: $0.tokens) }
        while let position = waiting.firstIndex(where: { $0.tokens.names(anyOf: sources) }) {
            sources.insert(waiting.remove(at: position).name)
        }
        return sources
    }

    /// Whether a view has a column with the name that is not an alias of another column.
    private func mayExpose(_ column: String, _ view: SchemaEntry) -> Bool {
        let tokens = view.tokens
        let isRead = tokens.indices.contains { tokens[$0].isSign("*") || tokens.isColumn(column, at: $0) }
        // A view that is already broken has no columns.
        let columns = isRead ? (try? connection.columnInfos(of: view.name)) ?? [] : []
        return columns.contains { Identifier.areSame($0.name, column) }
    }
}

extension [SQLToken] {
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
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
