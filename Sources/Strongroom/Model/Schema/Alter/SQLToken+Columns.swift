extension SQLToken {
    /// Words that are no names unless they are quoted, and the two that follow a column in an index.
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

    /// Words that have a meaning of their own in a view or a trigger, and may be names there as well.
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
    /// Whether a token is a column's name, as far as it and its neighbours tell.
    func isColumn(_ column: String, at place: Int) -> Bool {
        guard self[place].isNamed(column), !self[place].isReservedWord else { return false }
        if let next = significant(after: place), next.isSign("(") || next.isSign(".") { return false }
        return !(significant(before: place)?.isWord("COLLATE", "AS") ?? false)
    }

    /// The table's name before a column's, in `table.column`.
    func qualifier(of place: Int) -> SQLToken? {
        guard let dot = self[..<place].lastIndex(where: { $0.kind != .space }), self[dot].isSign(".") else {
            return nil
        }
        return significant(before: dot)
    }
}
