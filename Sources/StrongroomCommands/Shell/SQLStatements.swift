import Strongroom

/// Splits what was typed into statements.
enum SQLStatements {
    /// The statements that end with a semicolon, without it, and what follows the last one.
    static func split(_ text: String) -> (complete: [String], rest: String) {
        var complete: [String] = []
        var current: [SQLToken] = []
        for token in [SQLToken](sql: text) {
            if token.isSign(";"), isWhole(current) {
                let statement = current.map(\.text).joined()
                if current.contains(where: { $0.kind != .space }) { complete.append(statement) }
                current = []
            } else {
                current.append(token)
            }
        }
        return (complete, current.map(\.text).joined())
    }

    /// Whether a semicolon after it ends the statement: a trigger has some inside it, and ends with one, END and another.
    ///
    /// That of a CASE comes after no semicolon. The rule is that of `sqlite3_complete` (sqlite.org/c3ref/complete.html).
    private static func isWhole(_ tokens: [SQLToken]) -> Bool {
        let words = tokens.filter { $0.kind != .space }
        var beginning = words[...]
        if beginning.first?.isWord("EXPLAIN") == true { beginning = beginning.dropFirst() }
        if beginning.first?.isWord("QUERY") == true { beginning = beginning.dropFirst() }
        if beginning.first?.isWord("PLAN") == true { beginning = beginning.dropFirst() }
        guard beginning.first?.isWord("CREATE") == true else { return true }
        let kind = beginning.dropFirst().first { !$0.isWord("TEMP", "TEMPORARY") }
        guard kind?.isWord("TRIGGER") == true else { return true }
        return words.last?.isWord("END") == true && words.dropLast().last?.isSign(";") == true
    }

    /// Whether there is nothing but white space and comments.
    static func isBlank(_ text: String) -> Bool {
        [SQLToken](sql: text).allSatisfy { $0.kind == .space }
    }
}
