import Strongroom

/// Splits input into statements, line by line; each line is scanned once.
struct SQLStatements: Sendable {
    /// The text after the last complete statement.
    private(set) var rest = ""
    /// The token that is incomplete at the end of the last line, such as a literal without its closing quotation mark.
    private var unfinished: Unfinished?
    /// Whether there is anything but whitespace and comments since the last statement.
    private var hasWords = false
    private var words = StatementWords()

    /// A token that continues over the end of a line.
    private enum Unfinished: String {
        case text = "'"
        case name = "\""
        case backtick = "`"
        case bracket = "["
        case comment = "/*"
    }

    /// Whether there is only whitespace.
    var isBlank: Bool { !hasWords && unfinished == nil }

    /// Adds a line.
    ///
    /// - Returns: The statements that it completes, without the semicolon.
    mutating func add(_ line: String) -> [String] {
        var complete: [String] = []
        var text = rest.isEmpty ? line : "\n" + line
        if let before = unfinished {
            // The beginning of an incomplete token is prepended, so that its end is found by the same rules.
            guard let first = [SQLToken](sql: before.rawValue + text).first else { return [] }
            unfinished = Self.unfinished(first)
            let length = first.text.utf8.count - before.rawValue.utf8.count
            rest += String(decoding: text.utf8.prefix(length), as: UTF8.self)
            text = String(decoding: text.utf8.dropFirst(length), as: UTF8.self)
        }
        for token in [SQLToken](sql: text) {
            if token.isSign(";"), words.isComplete {
                if hasWords { complete.append(rest) }
                self = SQLStatements()
                continue
            }
            rest += token.text
            unfinished = Self.unfinished(token)
            guard token.kind != .space else { continue }
            hasWords = true
            words.add(token)
        }
        return complete
    }

    /// The statements that end with a semicolon, without it, and the rest.
    static func split(_ text: String) -> (complete: [String], rest: String) {
        var statements = SQLStatements()
        let complete = statements.add(text)
        return (complete, statements.rest)
    }

    /// How a token is incomplete; nil for a complete one.
    private static func unfinished(_ token: SQLToken) -> Unfinished? {
        let text = token.text.utf8
        switch token.kind {
        case .literal: return isClosed(token.text, "'") ? nil : .text
        case .quoted:
            if text.first == UInt8(ascii: "[") { return text.last == UInt8(ascii: "]") ? nil : .bracket }
            let kind = text.first == UInt8(ascii: "`") ? Unfinished.backtick : .name
            return isClosed(token.text, kind == .backtick ? "`" : "\"") ? nil : kind
        case .space where text.starts(with: "/*".utf8):
            return text.count >= 4 && text.suffix(2).elementsEqual("*/".utf8) ? nil : .comment
        default: return nil
        }
    }

    /// Whether the quotation marks inside are doubled, and there is one at each end.
    private static func isClosed(_ text: String, _ quote: Unicode.Scalar) -> Bool {
        text.utf8.count { $0 == UInt8(ascii: quote) }.isMultiple(of: 2)
    }
}

/// The tokens of a statement that determine its end.
private struct StatementWords: Sendable {
    private enum Beginning {
        case none, explain, query, plan, create, trigger, other
    }

    private var beginning = Beginning.none
    private var isLastEnd = false
    private var isLastSemicolon = false
    private var isSemicolonBeforeLast = false

    /// Whether a semicolon ends the statement: a trigger contains semicolons, and ends with one, END and another.
    ///
    /// The END of a CASE does not follow a semicolon. The rule is that of `sqlite3_complete`
    /// (sqlite.org/c3ref/complete.html).
    var isComplete: Bool { beginning != .trigger || isLastEnd && isSemicolonBeforeLast }

    /// Adds the next token.
    mutating func add(_ token: SQLToken) {
        beginning = next(token)
        isSemicolonBeforeLast = isLastSemicolon
        isLastSemicolon = token.isSign(";")
        isLastEnd = token.isWord("END")
    }

    private func next(_ token: SQLToken) -> Beginning {
        switch beginning {
        case .none where token.isWord("EXPLAIN"): .explain
        case .explain where token.isWord("QUERY"): .query
        case .query where token.isWord("PLAN"): .plan
        case .none where token.isWord("CREATE"), .explain where token.isWord("CREATE"),
            .plan where token.isWord("CREATE"):
            .create
        case .create where token.isWord("TEMP", "TEMPORARY"): .create
        case .create where token.isWord("TRIGGER"): .trigger
        case .trigger: .trigger
        default: .other
        }
    }
}
