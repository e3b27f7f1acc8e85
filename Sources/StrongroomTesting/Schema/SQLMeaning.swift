import Strongroom

/// What a piece of SQL says, whatever its spaces, its comments, and the case and the quotes of its names.
struct SQLMeaning: Hashable, Sendable {
    /// The pieces that count, joined by spaces.
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

    /// What a default says; nil for none, which is also NULL.
    static func ofDefault(_ sql: String?) -> SQLMeaning? {
        guard let sql else { return nil }
        var tokens = [SQLToken](sql: sql).significant.map { token in
            // Where no column can be meant, the engine takes a name in double quotes for a text.
            token.kind == .quoted && token.text.hasPrefix("\"")
                ? [SQLToken](sql: "'\(SQLToken.unquoted(token.text).replacing("'", with: "''"))'").first ?? token
                : token
        }
        while let inner = tokens.withoutParentheses { tokens = inner }
        let meaning = SQLMeaning(tokens)
        return meaning.text == "null" ? nil : meaning
    }

    /// What a `CREATE TRIGGER` or `CREATE VIEW` says; whether it was to be made only if missing does not count.
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
    /// The tokens without space and comments.
    var significant: [SQLToken] { filter { $0.kind != .space } }

    /// What stands in the parentheses that enclose everything; nil where none do.
    fileprivate var withoutParentheses: [SQLToken]? {
        guard count > 2, self[0].isSign("("), end(ofParenthesisAt: 0) == count - 1 else { return nil }
        return Array(self[1..<(count - 1)])
    }

    /// The place of the parenthesis that ends what one begins.
    func end(ofParenthesisAt start: Int) -> Int? {
        var depth = 0
        for place in start..<count {
            if self[place].isSign("(") { depth += 1 }
            if self[place].isSign(")") { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }

    /// What stands in parentheses behind a word, which itself stands in none.
    func parenthesised(behind word: String) -> [[SQLToken]] {
        var (depth, found): (Int, [[SQLToken]]) = (0, [])
        for place in indices {
            if depth == 0, self[place].isWord(word), place + 1 < count, self[place + 1].isSign("("),
                let end = end(ofParenthesisAt: place + 1)
            {
                found.append(Array(self[(place + 2)..<end]))
            }
            if self[place].isSign("(") { depth += 1 }
            if self[place].isSign(")") { depth -= 1 }
        }
        return found
    }

    /// The parts that commas outside of parentheses separate.
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
