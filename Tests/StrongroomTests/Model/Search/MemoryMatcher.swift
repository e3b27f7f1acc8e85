@testable import Strongroom

/// Decides by the tokens of a text whether it answers a question, as an index would.
struct MemoryMatcher {
    let tokenizer: TextTokenizer

    func matches(_ query: SearchQuery, _ text: String) throws -> Bool {
        let terms = tokenizer.terms(of: text).unicodeScalars.split(separator: " ").map { String($0) }
        return matches(try query.expression(by: tokenizer), terms)
    }

    private func matches(_ expression: SearchExpression, _ terms: [String]) -> Bool {
        switch expression {
        case .nothing: false
        case .phrase(let phrase): !places(phrase, terms).isEmpty
        case .all(let parts): parts.allSatisfy { matches($0, terms) }
        case .any(let parts): parts.contains { matches($0, terms) }
        case .excluding(let base, let excluded): matches(base, terms) && !matches(excluded, terms)
        }
    }

    private func places(_ phrase: SearchPhrase, _ terms: [String]) -> [Range<Int>] {
        terms.indices.compactMap { start in
            let end = start + phrase.terms.count
            guard end <= terms.count else { return nil }
            let isFound = zip(phrase.terms, terms[start..<end]).enumerated().allSatisfy { offset, pair in
                let isLast = offset == phrase.terms.count - 1
                return isLast && phrase.isPrefix
                    ? pair.1.utf8.starts(with: pair.0.utf8) : Array(pair.0.utf8) == Array(pair.1.utf8)
            }
            return isFound ? start..<end : nil
        }
    }
}
