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

    fileprivate func ends(with other: SearchPhrase) -> Bool {
        terms.suffix(other.terms.count).elementsEqual(other.terms)
    }
}

/// A question in the terms of an index.
///
/// Lists have two elements at least, no duplicates, and no list of their own kind.
package indirect enum SearchExpression: Hashable, Sendable {
    case nothing
    case phrase(SearchPhrase)

    /// Two phrases, in any order, with at most that many terms between them. They may overlap, but neither ends with
    /// the other.
    case near([SearchPhrase], Int)

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
        case .near(let phrases, _): phrases
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

    /// Each phrase near the next one of the list.
    ///
    /// FTS5's NEAR of three phrases looks for one place with all of them and FTS4's for a chain, so only pairs are
    /// compiled. A phrase that ends with its neighbour is always near it in FTS5 and never by itself in FTS4, so such
    /// a pair is the longer phrase alone.
    static func nearEachNext(_ phrases: [SearchPhrase], _ words: Int) -> SearchExpression {
        guard let first = phrases.first else { return .nothing }
        if phrases.count == 1 { return .phrase(first) }
        return all(
            of: zip(phrases, phrases.dropFirst()).map { first, second in
                if first.ends(with: second) { return .phrase(first) }
                return second.ends(with: first) ? .phrase(second) : .near([first, second], words)
            })
    }

    /// What `base` finds without what `others` find.
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
