extension Connection {
    /// Conditions for the rows `t` of a table that an inserted or updated row `new` would replace: one for each of its
    /// unique constraints, by which the engine finds the rows in the index.
    func replacedRows(of table: String, _ columns: [ColumnInfo], rowID: String?) throws -> [String] {
        let values = NewValues(columns)
        let byRowID = rowID.map { "t.\(Identifier.quote($0)) = new.\(Identifier.quote($0))" }
        return [byRowID].compactMap(\.self)
            + (try indexInfos(of: table).filter(\.isUnique).map { index in
                let text = IndexText(index)
                let parts = index.parts.enumerated().map { position, part -> String in
                    let collation = " COLLATE \(Identifier.quote(part.collation.name))"
                    if let column = part.column {
                        return "t.\(Identifier.quote(column)) = \(values.value(of: column))\(collation)"
                    }
                    let expression = text.expressions.indices.contains(position) ? text.expressions[position] : "NULL"
                    return "(\(expression)) = (SELECT (\(expression)) FROM (\(values.all(in: expression))))\(collation)"
                }
                return (parts + (text.condition.map { ["(\($0))"] } ?? [])).joined(separator: " AND ")
            })
    }
}

/// The values of an inserted or updated row, as its constraints are checked. A NULL becomes the default where
/// `NOT NULL ON CONFLICT REPLACE` says so.
private struct NewValues {
    private let columns: [ColumnInfo]

    init(_ columns: [ColumnInfo]) { self.columns = columns }

    func value(of name: String) -> String {
        let value = "new.\(Identifier.quote(name))"
        guard let column = columns.first(where: { Identifier.areSame($0.name, name) }), !column.isNullable,
            let sql = column.defaultExpression
        else { return value }
        return "coalesce(\(value), \(sql))"
    }

    /// A query of one row with the values that an expression may name.
    func all(in expression: String) -> String {
        let tokens = [SQLToken](sql: expression)
        let used = columns.filter { column in
            !column.isHidden && tokens.contains { $0.isNamed(column.name) }
        }
        let list = used.map { "\(value(of: $0.name)) AS \(Identifier.quote($0.name))" }
        return "SELECT \(list.isEmpty ? "NULL" : list.joined(separator: ", "))"
    }
}

/// The expressions of an index, and its condition, from the statement that created it.
private struct IndexText {
    private(set) var expressions: [String] = []
    private(set) var condition: String?

    init(_ index: IndexInfo) {
        guard let sql = index.sql else { return }
        let tokens = [SQLToken](sql: sql)
        guard let open = tokens.firstIndex(where: { $0.isSign("(") }) else { return }
        var depth = 0
        var part: [SQLToken] = []
        var position = open
        while position < tokens.count {
            let token = tokens[position]
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if depth == 0 || depth == 1 && token.isSign(",") {
                expressions.append(Self.expression(part))
                part = []
                if depth == 0 { break }
            } else if position > open {
                part.append(token)
            }
            position += 1
        }
        guard let start = tokens[Swift.min(position, tokens.count)...].firstIndex(where: { $0.isWord("WHERE") }) else {
            return
        }
        condition = Self.plain(Array(tokens[(start + 1)...].filter { $0.text != ";" }))
    }

    /// A part without its collation and its order.
    private static func expression(_ part: [SQLToken]) -> String {
        var tokens = part
        func trim() { while tokens.last?.kind == .space { tokens.removeLast() } }
        trim()
        if let last = tokens.last, last.isWord("ASC", "DESC") {
            tokens.removeLast()
            trim()
        }
        if tokens.count > 1, let before = tokens.significant(before: tokens.count - 1), before.isWord("COLLATE") {
            tokens.removeLast()
            trim()
            tokens.removeLast()
        }
        return plain(tokens)
    }

    /// Without comments, which could hide what follows.
    private static func plain(_ tokens: [SQLToken]) -> String {
        tokens.map { $0.kind == .space ? " " : $0.text }.joined()
    }
}
