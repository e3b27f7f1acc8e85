/// Finds where the text of a view or trigger names a table, by the grammar of SQLite before 3.25.
///
/// Aliases and common table expressions that have the table's name get the new one, too: the names that qualify columns
/// mean them then, as before.
struct TableNames {
    private let tokens: [SQLToken]
    private let name: String
    /// The positions of the tokens that count.
    private let places: [Int]

    init(_ name: String, in tokens: [SQLToken]) {
        self.tokens = tokens
        self.name = name
        places = tokens.indices.filter { tokens[$0].kind != .space }
    }

    /// What can stand next.
    private enum Expected {
        case anything
        /// A table of a FROM clause, or several in parentheses.
        case source
        /// The table that a statement writes to, or that IN looks into.
        case table
        /// The alias of a table, which may be left out.
        case alias
    }

    /// What is known inside a pair of parentheses.
    private struct Level {
        var isInFrom = false
        var expected = Expected.anything
    }

    /// Whether the table, or something else that has its name, is named.
    var areUsed: Bool { !positions().isEmpty }

    func renamed(to newName: String) -> [SQLToken] {
        var edited = tokens
        for position in positions() { edited[position].text = Identifier.quote(newName) }
        return edited
    }

    /// The positions of the name's tokens.
    private func positions() -> [Int] {
        var found: [Int] = []
        var levels = [Level()]
        for index in places.indices {
            var level = levels.removeLast()
            let token = token(index)
            if token.isSign("(") {
                let isJoin = level.expected == .source
                levels.append(level)
                level = isJoin ? Level(isInFrom: true, expected: .source) : Level()
            } else if token.isSign(")"), let outer = levels.popLast() {
                level = outer
                level.expected = level.expected == .source || level.expected == .alias ? .alias : .anything
            } else if mayBeName(index, level.expected), isName(index, level.expected) {
                found.append(places[index])
                level.expected = level.expected == .source ? .alias : .anything
            } else {
                level.expected = expected(after: index, &level)
            }
            levels.append(level)
        }
        return found
    }

    /// Whether the token has the name's letters and is no keyword there; the engine takes a text for a name, too, where
    /// only a name can stand.
    private func mayBeName(_ index: Int, _ expected: Expected) -> Bool {
        let token = token(index)
        if token.kind == .literal {
            return token.text.hasPrefix("'") && SQLToken.unquoted(token.text).isSameName(as: name)
                && (expected != .anything || self.token(index + 1).isSign("."))
        }
        guard token.isNamed(name), !token.isReservedWord else { return false }
        guard token.isAmbiguousWord else { return true }
        let before = self.token(index - 1)
        return !before.isWord("OR") && (expected != .alias || before.isWord("AS"))
    }

    /// Whether the token, which has the name's letters, means the table or what has its name.
    private func isName(_ index: Int, _ expected: Expected) -> Bool {
        let isQualified = token(index - 1).isSign(".")
        if isQualified, !token(index - 2).isNamed("main") { return false }
        if token(index + 1).isSign(".") { return true }
        return expected != .anything || isCommonTable(index)
    }

    private func isCommonTable(_ index: Int) -> Bool {
        let before = token(index - 1)
        guard before.isWord("WITH", "RECURSIVE") || before.isSign(",") else { return false }
        var next = index + 1
        if token(next).isSign("(") {
            while next < places.count, !token(next).isSign(")") { next += 1 }
            next += 1
        }
        return token(next).isWord("AS") && token(next + 1).isSign("(")
    }

    /// What can stand after a token that is neither a parenthesis nor the table's name.
    private func expected(after index: Int, _ level: inout Level) -> Expected {
        let token = token(index)
        switch token.kind == .word ? token.text.uppercased() : token.text {
        case "FROM", "JOIN":
            level.isInFrom = true
            return .source
        case "INTO", "UPDATE", "IN": return .table
        case ",": return level.isInFrom ? .source : .anything
        // Of a qualified name.
        case ".": return level.expected
        case "OR" where level.expected == .table: return .table
        case "AS" where level.expected == .alias: return .alias
        case "SELECT", "WHERE", "SET", "VALUES", "GROUP", "HAVING", "ORDER", "LIMIT", "BEGIN", ";":
            level.isInFrom = false
            return .anything
        default: break
        }
        if level.expected == .table, self.token(index - 1).isWord("OR") { return .table }
        if self.token(index + 1).isSign("."), level.expected != .anything { return level.expected }
        let isName = token.kind == .word || token.kind == .quoted || token.kind == .literal
        guard isName, level.expected == .source else { return .anything }
        return .alias
    }

    private func token(_ index: Int) -> SQLToken {
        places.indices.contains(index) ? tokens[places[index]] : SQLToken(kind: .space, text: "")
    }
}
