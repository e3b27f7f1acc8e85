extension SearchQuery {
    /// Whether some texts answer the question, as the indexed columns of one row do in a search.
    ///
    /// It is for rows that are in no index, such as those of another source:
    ///
    /// ```swift
    /// let question = SearchQuery.typing("caf")
    /// let found = try drafts.filter { try question.matches($0.title, $0.body) }
    /// ```
    ///
    /// - Parameters:
    ///   - texts: The texts of the columns; nil as NULL. The words of a phrase, and those of `near`, have to be in the
    ///     same text.
    ///   - tokenizer: The tokenizer of the index.
    /// - Returns: Whether the texts answer the question; false for a question without a word.
    /// - Throws: ``StrongroomError`` with `limit` if the question is too long.
    public func matches(_ texts: String?..., tokenizer: TextTokenizer = .standard) throws -> Bool {
        let expression: SearchExpression
        do {
            expression = try self.expression(by: tokenizer)
        } catch {
            throw error.refusal("A question")
        }
        return SearchedTexts(texts.map { $0.map(tokenizer.tokens) ?? [] }).answer(expression)
    }
}

/// The texts that a question is asked of.
private struct SearchedTexts {
    private let texts: [[TextToken]]

    init(_ texts: [[TextToken]]) { self.texts = texts }

    func answer(_ expression: SearchExpression) -> Bool {
        switch expression {
        case .nothing: false
        case .phrase, .near: texts.contains { !SearchMatches(expression, in: $0).matches.isEmpty }
        case .all(let parts): parts.allSatisfy(answer)
        case .any(let parts): parts.contains(where: answer)
        case .excluding(let wanted, let unwanted): answer(wanted) && !answer(unwanted)
        }
    }
}

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

/// Finds phrases in tokens. Terms are compared as numbers, as a text may have far more terms than a question.
struct PhraseFinder {
    private let phrases: [SearchPhrase]
    private var numbers: [String: Int] = [:]
    private var terms: [[Int]] = []
    private var byFirstTerm: [Int: [Int]] = [:]

    /// The phrases of one term that is the beginning of a word.
    private var beginnings: [Int] = []

    init(_ phrases: [SearchPhrase]) {
        self.phrases = phrases
        for (index, phrase) in phrases.enumerated() {
            let whole = phrase.isPrefix ? phrase.terms.dropLast() : phrase.terms[...]
            var list: [Int] = []
            for term in whole {
                let number = numbers[term] ?? numbers.count
                numbers[term] = number
                list.append(number)
            }
            terms.append(list)
            if let first = list.first {
                byFirstTerm[first, default: []].append(index)
            } else {
                beginnings.append(index)
            }
        }
    }

    /// The occurrences of the phrases, in the order of their first tokens.
    func matches(in tokens: [TextToken]) -> [SearchMatches.Match] {
        let text = tokens.map { numbers[$0.term] ?? -1 }
        var result: [SearchMatches.Match] = []
        for position in tokens.indices {
            for phrase in byFirstTerm[text[position]] ?? [] {
                let end = position + phrases[phrase].terms.count
                guard end <= tokens.count, isFound(phrase, in: text, at: position) else { continue }
                if phrases[phrase].isPrefix, !isBeginning(phrase, of: tokens[end - 1]) { continue }
                result.append(SearchMatches.Match(phrase: phrase, tokens: position..<end))
            }
            for phrase in beginnings where isBeginning(phrase, of: tokens[position]) {
                result.append(SearchMatches.Match(phrase: phrase, tokens: position..<position + 1))
            }
        }
        return result
    }

    private func isFound(_ phrase: Int, in text: [Int], at position: Int) -> Bool {
        for (offset, number) in terms[phrase].enumerated() where text[position + offset] != number { return false }
        return true
    }

    /// Whether a token's term begins with the last term of a phrase, byte by byte as in the engines.
    private func isBeginning(_ phrase: Int, of token: TextToken) -> Bool {
        guard let beginning = phrases[phrase].terms.last else { return false }
        return token.term.utf8.starts(with: beginning.utf8)
    }
}
