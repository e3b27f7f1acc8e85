extension Table {
    /// A query of the rows whose texts answer a query.
    ///
    /// ```swift
    /// let found = try Note.search("café menu").limit(20).fetch(in: db)
    /// let titles = try Note.search(.typing("caf"), on: Note.columns.title).count(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query; a string literal finds the texts with all of its words. A query without a word
    ///     finds nothing.
    ///   - columns: The columns that are searched; none for all columns of the index.
    ///   - index: The index's name; nil for the first one of the table.
    /// - Returns: The query, which can be refined as any other. If the table declares no such index, or the query is
    ///   too long, running it throws ``StrongroomError`` with `notDeclared`, `tableDiffers` or `limit`.
    public static func search(
        _ query: SearchQuery, on columns: any SchemaColumn..., index: String? = nil
    ) -> Query<Self> {
        let condition = searchCondition(query, columns.map(\.definition.name), index)
        return Query().where { _ in condition }
    }

    /// The condition that a row's texts answer a query, for queries with other conditions beside it.
    ///
    /// ```swift
    /// let found = try Note.where { $0.isDone == false && Note.matches("menu") }.fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query; a string literal asks for all of its words. A query without a word is answered by
    ///     no row.
    ///   - columns: The columns that are searched; none for all columns of the index.
    ///   - index: The index's name; nil for the first one of the table.
    /// - Returns: The condition. If the table declares no such index, or the query is too long, running a query with
    ///   it throws ``StrongroomError`` with `notDeclared`, `tableDiffers` or `limit`.
    public static func matches(
        _ query: SearchQuery, on columns: any SchemaColumn..., index: String? = nil
    ) -> Condition {
        searchCondition(query, columns.map(\.definition.name), index)
    }
}

extension Table {
    private static func searchCondition(_ query: SearchQuery, _ columns: [String], _ name: String?) -> Condition {
        do {
            let (index, search, expression) = try compiled(query, columns, name)
            guard expression != .nothing else { return Condition("0") }
            let table = search.table
            var sql = try search.condition(expression) { try isAmong($0, of: table) }.sql
            // The index is looked up in the file before.
            sql.require(RequiredTable(name: table) { try $0.requireFullText(table, index, of: schema) })
            return Condition(enclosed: sql)
        } catch {
            return Condition(
                failing: error as? StrongroomError ?? StrongroomError(.sql, "The query cannot be asked: \(error)"))
        }
    }

    static func compiled(
        _ query: SearchQuery, _ columns: [String], _ name: String?
    ) throws -> (index: FullTextIndex, search: NumberedSearch, expression: SearchExpression) {
        let index = try schema.fullTextIndex(named: name)
        let positions = try columns.map { try index.position(of: $0, in: schema.name) }
        let table = FullTextTable.name(of: index.name, table: schema.name)
        return (index, NumberedSearch(table: table, columns: positions), try query.expression(by: index.tokenizer))
    }

    /// The condition that a row of the table is among those with some numbers.
    private static func isAmong(_ numbers: SQL, of table: String) throws -> Condition {
        let keys = try schema.keyColumns().map { "\(schema.quotedName).\($0.quoted.text)" }
        guard schema.rowIDColumn == nil else {
            return Condition(SQL(verbatim: keys[0]), " IN ", Condition(numbers).sql)
        }
        let map = Identifier.quote("\(table)_keys")
        let stored = keys.indices.map { "k\($0)" }.joined(separator: ", ")
        let list = keys.count > 1 ? "(\(keys.joined(separator: ", ")))" : keys[0]
        let query: SQL = "\(SQL(verbatim: "SELECT \(stored) FROM \(map) WHERE docid IN ("))\(numbers))"
        return Condition(SQL(verbatim: list), " IN ", Condition(query).sql)
    }
}

extension TableSchema {
    /// The declared full-text index with a name, the first one without a name, or `notDeclared`.
    func fullTextIndex(named wanted: String?) throws -> FullTextIndex {
        let found = fullText.first { index in wanted.map { Identifier.areSame($0, index.name) } ?? true }
        guard let found else {
            let what = wanted.map { "full-text index \"\($0)\"" } ?? "full-text index"
            throw StrongroomError(
                .notDeclared,
                """
                Table "\(name)" declares no \(what), so it cannot be searched; declare it with `fullText:`, as in \
                `fullText: [FullTextIndex(on: "title")]`.
                """)
        }
        return found
    }
}

extension FullTextIndex {
    /// The position of a column in the index; `notDeclared` if the index does not have it.
    func position(of column: String, in table: String) throws -> Int {
        guard let position = Identifier.index(of: column, in: columns) else {
            throw StrongroomError(
                .notDeclared,
                """
                The full-text index "\(name)" of table "\(table)" does not have the column "\(column)"; add it to the \
                index, or search other columns.
                """)
        }
        return position
    }
}

extension Connection {
    /// Throws if the file does not have a full-text index as it is declared: its answers would be wrong, or the engine
    /// would report a table that the program has not named.
    ///
    /// - Throws: ``StrongroomError`` with `tableDiffers`; `damaged` if the engine would end the process.
    func requireFullText(_ name: String, _ index: FullTextIndex, of schema: TableSchema) throws {
        try prepareTable(schema)
        let isKept = try schemaText(of: .view, "\(name)_rows").map { sql in
            let stored = StoredFullText.indexed(in: sql)
            return stored.table.map { Identifier.areSame($0, schema.name) } ?? false
                && stored.tokenizer == index.tokenizer.rule && stored.columns.count == index.columns.count
                && zip(stored.columns, index.columns).allSatisfy { Identifier.areSame($0, $1) }
        }
        guard isKept != true else { return try requireStatistics(of: name) }
        throw failure(
            .tableDiffers,
            """
            The file \(isKept == nil ? "does not have the" : "has another") full-text index "\(index.name)" of table \
            "\(schema.name)"\(isKept == nil ? "" : " than the table declares"); call `keepFullText(of:)` in a migration.
            """)
    }
}

/// A query to one full-text index, as SQL.
///
/// FTS4 and FTS5 have different query languages. What both can say is one MATCH; anything else is composed in SQL of
/// queries that both can say, so that the answers are equal.
struct NumberedSearch {
    /// The name of the virtual table.
    let table: String
    /// The positions of the columns that are searched; none for all.
    let columns: [Int]

    /// Matches the rows whose texts satisfy a search query; `isAmong` makes the condition that SQL has a row's number.
    func condition(_ expression: SearchExpression, isAmong: (SQL) throws -> Condition) throws -> Condition {
        if let numbers = numbers(expression) { return try isAmong(numbers) }
        switch expression {
        case .all(let parts), .any(let parts):
            let isAll = if case .all = expression { true } else { false }
            let all = try parts.map { try condition($0, isAmong: isAmong) }
            return all.dropFirst().reduce(all.first ?? Condition("0")) { isAll ? $0 && $1 : $0 || $1 }
        case .excluding(let wanted, let unwanted):
            return try condition(wanted, isAmong: isAmong) && !condition(unwanted, isAmong: isAmong)
        case .nothing, .phrase:
            return Condition("0")
        }
    }

    /// A query for the numbers of the rows that match; nil if it takes several.
    func numbers(_ expression: SearchExpression) -> SQL? {
        if columns.count <= 1, let text = expression.fts4 {
            return matching(columns.first, text, expression.fts5)
        }
        switch expression {
        case .phrase(let phrase):
            var sql = matching(columns.first, phrase.fts4, phrase.fts5)
            for column in columns.dropFirst() {
                sql.append(text: " UNION ")
                sql.append(matching(column, phrase.fts4, phrase.fts5))
            }
            return sql
        case .nothing, .all, .any, .excluding:
            return nil
        }
    }

    private func matching(_ column: Int?, _ fts4: String, _ fts5: String) -> SQL {
        let name = Identifier.quote(table)
        let operand = column.map { "c\($0)" } ?? name
        var sql = SQL(verbatim: "SELECT rowid FROM \(name) WHERE \(operand) MATCH ")
        guard fts4 != fts5 else {
            sql.append(SQL(verbatim: "?", [.text(fts4)]))
            return sql
        }
        // The file says which of the two the index is: it may have been created by another engine.
        sql.append(
            SQL(
                verbatim: """
                    CASE WHEN (SELECT sql FROM main.sqlite_master WHERE name = ? COLLATE NOCASE) LIKE '%using fts5%' \
                    THEN ? ELSE ? END
                    """, [.text(table), .text(fts5), .text(fts4)]))
        return sql
    }
}
