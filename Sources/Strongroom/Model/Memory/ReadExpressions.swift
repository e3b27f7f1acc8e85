/// Lets read-only statements find common table expressions in place of tables.
struct ReadExpressions {
    /// Such as `name (columns) AS (SELECT …)`, with commas between them.
    let text: String
    /// - Throws: What keeps the statement from being read.
    let check: ([SQLToken]) throws -> Void

    /// A statement that is to be prepared, with the expressions before it if it only reads: what writes, and so could
    /// bring what it reads to the disk, reads what is there alone.
    func expand(_ sql: String) throws -> String {
        var tokens = [SQLToken](sql: sql)
        guard let first = tokens.firstIndex(where: { $0.kind != .space && !$0.isSign(";") }) else { return sql }
        if tokens[first].isWord("SELECT") {
            try check(tokens)
            tokens[first].text = "WITH \(text) \(tokens[first].text)"
            return tokens.sql
        }
        guard tokens[first].isWord("WITH"), tokens.mainVerb(after: first) == "SELECT" else { return sql }
        try check(tokens)
        var index = first
        if let next = tokens[(first + 1)...].firstIndex(where: { $0.kind != .space }), tokens[next].isWord("RECURSIVE")
        {
            index = next
        }
        tokens[index].text += " \(text),"
        return tokens.sql
    }
}

extension [SQLToken] {
    /// What a statement that begins with `WITH` does.
    fileprivate func mainVerb(after index: Int) -> String? {
        var depth = 0
        for token in self[(index + 1)...] {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            guard depth == 0, token.isWord("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE") else { continue }
            return token.text.uppercased()
        }
        return nil
    }
}
