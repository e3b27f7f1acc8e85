/// Words that stand next to each other, encoded as in an index.
package struct SearchPhrase: Hashable, Sendable {
    /// The terms; never empty.
    package var terms: [String]

    /// Whether the last term is the beginning of a word.
    package var isPrefix: Bool

    package init(_ terms: [String], isPrefix: Bool = false) {
        self.terms = terms
        self.isPrefix = isPrefix
    }
}

/// A query in the terms of an index.
///
/// Lists have two elements at least, no duplicates, and no list of their own kind.
package indirect enum SearchExpression: Hashable, Sendable {
    case nothing
    case phrase(SearchPhrase)

    case all([SearchExpression])
    case any([SearchExpression])
    case excluding(SearchExpression, SearchExpression)
}

extension SearchExpression {
    /// The phrases that a found text may have, in order and without duplicates; not those that are excluded.
    package var phrases: [SearchPhrase] {
        var known: Set<SearchPhrase> = []
        return positivePhrases.filter { known.insert($0).inserted }
    }

    private var positivePhrases: [SearchPhrase] {
        switch self {
        case .nothing: []
        case .phrase(let phrase): [phrase]
        case .all(let parts), .any(let parts): parts.flatMap(\.positivePhrases)
        case .excluding(let base, _): base.positivePhrases
        }
    }

    /// The parts that all have to be found; parts that are nothing are left out.
    static func all(of parts: [SearchExpression]) -> SearchExpression {
        combined(parts, by: SearchExpression.all) { if case .all(let parts) = $0 { parts } else { [$0] } }
    }

    /// The parts of which one has to be found; parts that are nothing are left out.
    static func any(of parts: [SearchExpression]) -> SearchExpression {
        combined(parts, by: SearchExpression.any) { if case .any(let parts) = $0 { parts } else { [$0] } }
    }

    static func excluding(_ base: SearchExpression, _ others: [SearchExpression]) -> SearchExpression {
        let excluded = any(of: others)
        switch (base, excluded) {
        case (.nothing, _), (_, .nothing): return base
        case (.excluding(let base, let earlier), _): return .excluding(base, any(of: [earlier, excluded]))
        default: return .excluding(base, excluded)
        }
    }

    private static func combined(
        _ parts: [SearchExpression], by list: ([SearchExpression]) -> SearchExpression,
        elements: (SearchExpression) -> [SearchExpression]
    ) -> SearchExpression {
        var known: Set<SearchExpression> = [.nothing]
        let flat = parts.flatMap(elements).filter { known.insert($0).inserted }
        guard let first = flat.first else { return .nothing }
        return flat.count == 1 ? first : list(flat)
    }
}

extension SearchExpression {
    /// The text of FTS5's MATCH, without a column filter. All terms are quoted; they contain no quotation marks.
    ///
    /// See "Full-text Query Syntax" in <https://www.sqlite.org/fts5.html>.
    package var fts5: String {
        switch self {
        case .nothing: #""""#
        case .phrase(let phrase): phrase.fts5
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
        case .all(let parts): Self.joined(parts, " ")
        case .any(let parts): Self.joined(parts, " OR ")
        }
    }

    private static func joined(_ parts: [SearchExpression], _ separator: String) -> String? {
        let texts = parts.compactMap { if case .phrase(let phrase) = $0 { phrase.fts4 } else { nil } }
        return texts.count == parts.count ? texts.joined(separator: separator) : nil
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
