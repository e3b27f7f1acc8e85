/// Where the phrases of a question stand in the tokens of a text.
struct SearchMatches {
    /// An occurrence of a phrase.
    struct Match: Hashable {
        /// The index of the phrase in the phrases of the question.
        let phrase: Int
        let tokens: Range<Int>
    }

    /// The occurrences in the order of their first tokens. A phrase that is only asked for near another one counts
    /// where it is near it.
    let matches: [Match]

    init(_ expression: SearchExpression, in tokens: [TextToken]) {
        let phrases = expression.phrases
        let found = PhraseFinder(phrases).matches(in: tokens)
        let conditions = NearConditions(expression)
        guard !conditions.pairs.isEmpty else {
            matches = found
            return
        }
        let starts = Dictionary(grouping: found, by: \.phrase).mapValues { $0.map(\.tokens.lowerBound) }
        let indexes = Dictionary(uniqueKeysWithValues: zip(phrases, phrases.indices))
        matches = found.filter { match in
            let phrase = phrases[match.phrase]
            return conditions.free.contains(phrase)
                || conditions.pairs.contains { pair in
                    guard let other = pair.other(phrase), let index = indexes[other] else { return false }
                    return Self.isAny(
                        of: starts[index] ?? [],
                        from: match.tokens.lowerBound - pair.words - other.terms.count,
                        to: match.tokens.upperBound + pair.words)
                }
        }
    }

    /// Whether one of the ascending numbers lies between two others.
    private static func isAny(of numbers: [Int], from lowest: Int, to highest: Int) -> Bool {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < lowest { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] <= highest
    }
}

/// Which phrases of a question have to be near others.
private struct NearConditions {
    struct Pair {
        let first: SearchPhrase
        let second: SearchPhrase
        let words: Int

        func other(_ phrase: SearchPhrase) -> SearchPhrase? {
            phrase == first ? second : phrase == second ? first : nil
        }
    }

    private(set) var pairs: [Pair] = []

    /// Phrases that count wherever they stand.
    private(set) var free: Set<SearchPhrase> = []

    init(_ expression: SearchExpression) {
        collect(expression)
    }

    private mutating func collect(_ expression: SearchExpression) {
        switch expression {
        case .nothing: break
        case .phrase(let phrase): free.insert(phrase)
        case .near(let phrases, let words):
            for (first, second) in zip(phrases, phrases.dropFirst()) {
                pairs.append(Pair(first: first, second: second, words: words))
            }
        case .all(let parts), .any(let parts): for part in parts { collect(part) }
        case .excluding(let base, _): collect(base)
        }
    }
}
