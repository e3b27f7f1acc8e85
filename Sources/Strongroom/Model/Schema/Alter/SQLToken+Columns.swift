extension SQLToken {
    /// Words that are names only if they are quoted, and the two words that follow a column in an index.
    private static let reserved: Set<String> = [
        "ADD", "ALL", "ALTER", "AND", "AS", "ASC", "AUTOINCREMENT", "BETWEEN", "CASE", "CHECK", "COLLATE", "COMMIT",
        "CONSTRAINT",
        "CREATE", "DEFAULT", "DEFERRABLE", "DELETE", "DESC", "DISTINCT", "DROP", "ELSE", "ESCAPE", "EXCEPT", "EXISTS",
        "FOREIGN",
        "FROM", "GROUP", "HAVING", "IN", "INDEX", "INSERT", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "LIMIT", "NOT",
        "NOTNULL",
        "NULL", "ON", "OR", "ORDER", "PRIMARY", "REFERENCES", "SELECT", "SET", "TABLE", "THEN", "TO", "TRANSACTION",
        "UNION",
        "UNIQUE", "UPDATE", "USING", "VALUES", "WHEN", "WHERE",
    ]

    /// Words with a special meaning in a view or a trigger that may also be names.
    private static let ambiguous: Set<String> = [
        "ABORT", "AFTER", "BEFORE", "BEGIN", "BY", "CAST", "CROSS", "EACH", "END", "FAIL", "FOR", "FULL", "GLOB", "IF",
        "IGNORE",
        "INDEXED", "INNER", "INSTEAD", "LEFT", "LIKE", "MATCH", "NATURAL", "OF", "OFFSET", "OUTER", "RAISE",
        "RECURSIVE", "REGEXP",
        "REPLACE",
        "RIGHT", "ROLLBACK", "ROW", "TEMP", "TEMPORARY", "TRIGGER", "VIEW", "WITH", "WITHOUT", "OVER", "PARTITION",
        "FILTER",
        "ROWS", "RANGE", "NULLS", "FIRST", "LAST", "MATERIALIZED", "RETURNING",
    ]

    var isReservedWord: Bool { kind == .word && Self.reserved.contains(text.uppercased()) }
    var isAmbiguousWord: Bool { kind == .word && Self.ambiguous.contains(text.uppercased()) }
}

extension [SQLToken] {
    /// Whether a token is the name of the column, as far as it and the adjacent tokens show.
    func isColumn(_ column: String, at position: Int) -> Bool {
        guard self[position].isNamed(column), !self[position].isReservedWord else { return false }
        if let next = significant(after: position), next.isSign("(") || next.isSign(".") { return false }
        return !(significant(before: position)?.isWord("COLLATE", "AS") ?? false)
    }

    /// The table name that qualifies a column, in `table.column`.
    func qualifier(of position: Int) -> SQLToken? {
        guard let dot = self[..<position].lastIndex(where: { $0.kind != .space }), self[dot].isSign(".") else {
            return nil
        }
        return significant(before: dot)
    }
}
