/// A question as a condition on the rows of a table.
struct SearchCondition<Source: Table> {
    let condition: Condition

    init(_ question: SearchQuery, _ columns: [String], _ index: String?) {
        do {
            condition = try Self.condition(question, columns, index)
        } catch {
            condition = Condition(
                failing: error as? StrongroomError ?? StrongroomError(.sql, "The question cannot be asked: \(error)"))
        }
    }

    private static func condition(_ question: SearchQuery, _ columns: [String], _ name: String?) throws -> Condition {
        let index = try Source.schema.fullTextIndex(named: name)
        let positions = try columns.map { try index.position(of: $0, in: Source.schema.name) }
        let expression = try question.asked(of: index, in: Source.schema.name)
        guard expression != .nothing else { return Condition("0") }
        let table = FullTextTable.name(of: index.name, table: Source.schema.name)
        let condition = try NumberedSearch(table: table, columns: positions).condition(expression) { numbers in
            try isAmong(numbers, of: table)
        }
        return try requiring(table, index, condition)
    }

    /// The condition, before which the index is looked for in the file.
    private static func requiring(_ name: String, _ index: FullTextIndex, _ condition: Condition) throws -> Condition {
        var sql = condition.sql
        sql.require(
            RequiredTable(name: name) { connection in
                try connection.requireFullText(name, index, of: Source.schema)
            })
        return Condition(enclosed: sql)
    }

    /// The condition that a row of the table is among those with some numbers.
    private static func isAmong(_ numbers: SQL, of table: String) throws -> Condition {
        let schema = Source.schema
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
    /// The declared full-text index with a name; the first one without a name.
    ///
    /// - Throws: ``StrongroomError`` with `notDeclared`.
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
    /// The position of a column in the index.
    ///
    /// - Throws: ``StrongroomError`` with `notDeclared` if the index does not have it.
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
        throw StrongroomError(
            .tableDiffers,
            """
            The file \(isKept == nil ? "does not have the" : "has another") full-text index "\(index.name)" of table \
            "\(schema.name)"\(isKept == nil ? "" : " than the table declares"); call `keepFullText(of:)` in a migration.
            """,
            database: database)
    }
}
