/// An occurrence of a phrase in the tokens of a text.
struct PhraseMatch: Hashable {
    /// The index of the phrase in the phrases of the search query.
    let phrase: Int
    let tokens: Range<Int>
}

/// Finds phrases in tokens. Terms are compared as numbers, as a text may have far more terms than a search query.
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
            let complete = phrase.isPrefix ? phrase.terms.dropLast() : phrase.terms[...]
            var list: [Int] = []
            for term in complete {
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
    func matches(in tokens: [TextToken]) -> [PhraseMatch] {
        let text = tokens.map { numbers[$0.term] ?? -1 }
        var result: [PhraseMatch] = []
        for position in tokens.indices {
            for phrase in byFirstTerm[text[position]] ?? [] {
                let end = position + phrases[phrase].terms.count
                guard end <= tokens.count, isFound(phrase, in: text, at: position) else { continue }
                if phrases[phrase].isPrefix, !isBeginning(phrase, of: tokens[end - 1]) { continue }
                result.append(PhraseMatch(phrase: phrase, tokens: position..<end))
            }
            for phrase in beginnings where isBeginning(phrase, of: tokens[position]) {
                result.append(PhraseMatch(phrase: phrase, tokens: position..<position + 1))
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
