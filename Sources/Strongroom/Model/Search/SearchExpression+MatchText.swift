extension SearchExpression {
    /// The text of FTS5's MATCH, without a column filter. All terms are quoted; they contain no quotation marks.
    ///
    /// See "Full-text Query Syntax" in <https://www.sqlite.org/fts5.html>.
    package var fts5: String {
        switch self {
        case .nothing: #""""#
        case .phrase(let phrase): phrase.fts5
        case .near(let phrases, let words): "NEAR(\(phrases.map(\.fts5).joined(separator: " ")), \(words))"
        case .all(let parts): Self.bracketed(parts.map(\.fts5), " AND ")
        case .any(let parts): Self.bracketed(parts.map(\.fts5), " OR ")
        case .excluding(let base, let excluded): Self.bracketed([base.fts5, excluded.fts5], " NOT ")
        }
    }

    /// The text of FTS4's MATCH, or nil where the syntax that all builds share cannot say it.
    ///
    /// It is nil for nothing, for what is excluded, and for lists in lists: the standard and the enhanced syntax
    /// disagree about AND and OR. See "Full-text Index Queries" in <https://www.sqlite.org/fts3.html>.
    package var fts4: String? {
        switch self {
        case .nothing, .excluding: nil
        case .phrase(let phrase): phrase.fts4
        case .near(let phrases, let words): phrases.map(\.fts4).joined(separator: " NEAR/\(words) ")
        case .all(let parts): Self.joined(parts, " ")
        case .any(let parts): Self.joined(parts, " OR ")
        }
    }

    /// The joined texts of phrases and nears.
    private static func joined(_ parts: [SearchExpression], _ separator: String) -> String? {
        var texts: [String] = []
        for part in parts {
            switch part {
            case .phrase, .near: if let text = part.fts4 { texts.append(text) }
            default: return nil
            }
        }
        return texts.joined(separator: separator)
    }

    private static func bracketed(_ parts: [String], _ separator: String) -> String {
        "(" + parts.joined(separator: separator) + ")"
    }
}

extension SearchPhrase {
    /// The phrase in FTS5's syntax: `"t1 t2"`, or `"t1 t2" *` if the last term is a beginning.
    var fts5: String {
        "\"" + terms.joined(separator: " ") + (isPrefix ? "\" *" : "\"")
    }

    /// The phrase in FTS4's syntax: `"t1 t2"`, or `"t1 t2*"` if the last term is a beginning.
    var fts4: String {
        "\"" + terms.joined(separator: " ") + (isPrefix ? "*\"" : "\"")
    }
}
