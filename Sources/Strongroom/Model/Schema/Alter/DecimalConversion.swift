extension Connection {
    /// Declares TEXT columns as DECIMAL_TEXT columns, with their defaults in that form.
    func declareDecimals(_ columns: [String], of table: String) throws {
        let entry = try tableEntry(table, in: try schemaEntries())
        guard var text = CreateTableText(entry.sql) else {
            throw ColumnChange.refusal("Table \"\(table)\" is virtual; only its module can change its columns.", self)
        }
        let infos = try columnInfos(of: table)
        for column in columns {
            guard let info = infos.first(where: { Identifier.areSame($0.name, column) }) else {
                throw StrongroomError(.sql, "no such column: \(column) in table \"\(table)\".", database: database)
            }
            let types = ["text", "varchar", "char", "clob", SortedDecimal.declaredType.asciiFolded]
            guard types.contains(info.declaredType.asciiFolded) else {
                throw ColumnChange.refusal(
                    """
                    Column "\(column)" of table "\(table)" is declared as "\(info.declaredType)", not as TEXT; change \
                    it with `db.changeColumn(_:in:)`, which converts the values.
                    """, self)
            }
            guard text.sortDecimals(of: column) else {
                throw ColumnChange.refusal(
                    """
                    The default of column "\(column)" of table "\(table)" is not a decimal number \
                    (\(info.defaultSQL ?? "")); change it with `db.changeColumn(_:in:)`, which converts the \
                    values.
                    """, self)
            }
        }
        guard text.sql != entry.sql else { return }
        try rewriteSchema([SchemaEntry(kind: .table, name: entry.name, table: entry.table, sql: text.sql)])
    }

    /// Converts the values of columns to the DECIMAL_TEXT form; triggers do not run.
    ///
    /// - Parameter report: Called with the number of converted values of a column and the total.
    func sortDecimals(_ columns: [String], of table: String, _ report: (Int, Int) throws -> Void) throws {
        let computed = try columnInfos(of: table).filter { $0.generated != nil }.map(\.name)
        func values(_ column: String) -> SpelledTable { SpelledTable(self, table, [(column, .decimal)]) }
        func isComputed(_ column: String) -> Bool { computed.contains { Identifier.areSame($0, column) } }
        for column in columns where !isComputed(column) { try values(column).convert(report: report) }
        for column in columns where try isComputed(column) && !values(column).counts().isEmpty {
            throw ColumnChange.refusal(
                """
                Column "\(column)" of table "\(table)" is generated, and has a value that is not a decimal in the \
                sortable form; drop the column, or compute it from a column of decimals.
                """, self)
        }
    }
}
