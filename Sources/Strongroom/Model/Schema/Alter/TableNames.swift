/// Finds the positions at which a view or a trigger names a table, by the grammar of SQLite before 3.25.
///
/// Aliases and common table expressions with the table's name are renamed, too, since the qualifiers of columns refer
/// to them.
struct TableNames {
    private let tokens: [SQLToken]
    private let name: String
    /// The positions of the tokens that are not space.
    private let significant: [Int]

    init(_ name: String, in tokens: [SQLToken]) {
        self.tokens = tokens
        self.name = name
        significant = tokens.indices.filter { tokens[$0].kind != .space }
    }

    /// The grammatical element that can follow.
    private enum Expected {
        case anything
        /// A table of a FROM clause, or a parenthesised list of them.
        case source
        /// The target table of a statement, or the table after IN.
        case table
        /// The optional alias of a table.
        case alias
    }

    /// The state within a pair of parentheses.
    private struct Level {
        var isInFrom = false
        var expected = Expected.anything
    }

    /// Whether the statement uses the name, for the table or for something else.
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
        for index in significant.indices {
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
                found.append(significant[index])
                level.expected = level.expected == .source ? .alias : .anything
            } else {
                level.expected = expected(after: index, &level)
            }
            levels.append(level)
        }
        return found
    }

    /// Whether the token spells the name and is not a keyword there. The engine accepts a string literal as a name
    /// where only a name is valid.
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

    /// Whether the token with the table's name denotes the table or an alias of that name.
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
            while next < significant.count, !token(next).isSign(")") { next += 1 }
            next += 1
        }
        return token(next).isWord("AS") && token(next + 1).isSign("(")
    }

    /// The element that can follow a token that is neither a parenthesis nor the table's name.
    private func expected(after index: Int, _ level: inout Level) -> Expected {
        let token = token(index)
        switch token.kind == .word ? token.text.uppercased() : token.text {
        case "FROM", "JOIN":
            level.isInFrom = true
            return .source
        case "INTO", "UPDATE", "IN": return .table
        case ",": return level.isInFrom ? .source : .anything
        // Part of a qualified name.
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
        significant.indices.contains(index) ? tokens[significant[index]] : SQLToken(kind: .space, text: "")
    }
}
