import Strongroom

/// A normalised form of SQL, independent of whitespace, comments, and the case and quotation marks of names.
struct SQLMeaning: Hashable, Sendable {
    /// The significant tokens, separated by spaces.
    let text: String

    init(_ sql: String) {
        self.init([SQLToken](sql: sql))
    }

    init(_ tokens: some Sequence<SQLToken>) {
        text = tokens.compactMap(Self.meaning).joined(separator: " ")
    }

    private static func meaning(of token: SQLToken) -> String? {
        switch token.kind {
        case .space: nil
        case .word, .quoted: (token.name ?? token.text).asciiFolded
        case .number: token.text.asciiFolded
        case .literal, .sign: token.text
        }
    }

    /// The normalised form of a default; nil for none, which is equivalent to NULL.
    static func ofDefault(_ sql: String?) -> SQLMeaning? {
        guard let sql else { return nil }
        var tokens = [SQLToken](sql: sql).significant.map { token in
            // Where no column is possible, the engine treats a double-quoted name as a string literal.
            token.kind == .quoted && token.text.hasPrefix("\"")
                ? [SQLToken](sql: "'\(SQLToken.unquoted(token.text).replacing("'", with: "''"))'").first ?? token
                : token
        }
        while let inner = tokens.withoutParentheses { tokens = inner }
        let meaning = SQLMeaning(tokens)
        return meaning.text == "null" ? nil : meaning
    }

    /// The normalised form of a `CREATE TRIGGER` or `CREATE VIEW`; IF NOT EXISTS is ignored.
    static func ofCreation(_ sql: String) -> SQLMeaning {
        let meaning = SQLMeaning(sql).text
        for kind in ["view", "trigger"] where meaning.hasPrefix("create \(kind) if not exists ") {
            return SQLMeaning(
                meaning.replacing("create \(kind) if not exists ", with: "create \(kind) ", maxReplacements: 1))
        }
        return SQLMeaning(meaning)
    }
}

extension [SQLToken] {
    /// The tokens without whitespace and comments.
    var significant: [SQLToken] { filter { $0.kind != .space } }

    /// The tokens inside the parentheses that enclose everything; nil if there are none.
    fileprivate var withoutParentheses: [SQLToken]? {
        guard count > 2, self[0].isSign("("), end(ofParenthesisAt: 0) == count - 1 else { return nil }
        return Array(self[1..<(count - 1)])
    }

    /// The index of the matching closing parenthesis.
    func end(ofParenthesisAt start: Int) -> Int? {
        var depth = 0
        for index in start..<count {
            if self[index].isSign("(") { depth += 1 }
            if self[index].isSign(")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The contents of the parentheses that follow a word outside of parentheses.
    func parenthesised(behind word: String) -> [[SQLToken]] {
        var (depth, found): (Int, [[SQLToken]]) = (0, [])
        for index in indices {
            if depth == 0, self[index].isWord(word), index + 1 < count, self[index + 1].isSign("("),
                let end = end(ofParenthesisAt: index + 1)
            {
                found.append(Array(self[(index + 2)..<end]))
            }
            if self[index].isSign("(") { depth += 1 }
            if self[index].isSign(")") { depth -= 1 }
        }
        return found
    }

    /// The parts separated by commas outside of parentheses.
    var list: [[SQLToken]] {
        var (depth, parts): (Int, [[SQLToken]]) = (0, [[]])
        for token in self {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if depth == 0, token.isSign(",") { parts.append([]) } else { parts[parts.count - 1].append(token) }
        }
        return parts
    }
}
