/// A part of a text that shows how it answers a query.
public struct SearchSnippet: Sendable, Hashable {
    /// The part of the text, unchanged.
    public let text: String

    /// The ranges of `text` that answer the query, in order; they neither overlap nor split a character.
    public let highlights: [Range<String.Index>]

    /// Whether the text has more before this part.
    public let isCutAtStart: Bool

    /// Whether the text has more after this part.
    public let isCutAtEnd: Bool
}

extension SearchQuery {
    /// The part of a text with the most different phrases of the query.
    ///
    /// Of equal parts the one with the most occurrences is taken, then the first one. What is found stands in the
    /// middle of the part. A text that does not answer the query is shown from its first word on.
    ///
    /// ```swift
    /// let snippet = SearchQuery.all("fox").snippet(of: article, words: 8)
    /// let shown = (snippet.isCutAtStart ? "…" : "") + snippet.text + (snippet.isCutAtEnd ? "…" : "")
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - words: The number of words of the part, at least one. In scripts with a token for each character it is a
    ///     number of characters.
    ///   - tokenizer: The tokenizer of the index.
    /// - Returns: The part, which begins and ends with a word, with up to three signs of punctuation beside it.
    public func snippet(of text: String, words: Int = 16, tokenizer: TextTokenizer = .standard) -> SearchSnippet {
        let tokens = tokenizer.tokens(in: text)
        let phrases = (try? expression(by: tokenizer))?.phrases ?? []
        let matches = PhraseFinder(phrases).matches(in: tokens)
        let window = SnippetWindow(matches, tokenCount: tokens.count, length: max(words, 1))
        let range = SearchSnippet.range(of: tokens[window.tokens], in: text, length: max(words, 1))
        let highlights = TextRanges.merged(
            window.matches.compactMap {
                TextRanges.range(of: tokens[$0.tokens.clamped(to: window.tokens)], in: text)?.clamped(to: range)
            })
        return SearchSnippet(text, range, highlights: highlights)
    }
}

extension SearchSnippet {
    fileprivate init(_ source: String, _ range: Range<String.Index>, highlights: [Range<String.Index>]) {
        let part = String(source[range])
        func index(_ index: String.Index) -> String.Index {
            part.utf8.index(part.startIndex, offsetBy: source.utf8.distance(from: range.lowerBound, to: index))
        }
        self.init(
            text: part, highlights: highlights.map { index($0.lowerBound)..<index($0.upperBound) },
            isCutAtStart: range.lowerBound > source.startIndex, isCutAtEnd: range.upperBound < source.endIndex)
    }

    /// The range of some tokens with the punctuation beside them; of a text without tokens its first characters.
    fileprivate static func range(
        of tokens: ArraySlice<TextToken>, in text: String, length: Int
    ) -> Range<String.Index> {
        guard var range = TextRanges.range(of: tokens, in: text) else {
            let count = length.multipliedReportingOverflow(by: 8)
            return text.startIndex..<text.prefix(count.overflow ? .max : count.partialValue).endIndex
        }
        for _ in 0..<3 {
            guard range.lowerBound > text.startIndex else { break }
            let before = text.index(before: range.lowerBound)
            if !isPunctuation(text[before]) { break }
            range = before..<range.upperBound
        }
        for _ in 0..<3 {
            guard range.upperBound < text.endIndex, isPunctuation(text[range.upperBound]) else { break }
            range = range.lowerBound..<text.index(after: range.upperBound)
        }
        return range
    }

    private static func isPunctuation(_ character: Character) -> Bool {
        character.isPunctuation || character.isSymbol
    }
}

/// The tokens of a text that a snippet shows.
struct SnippetWindow {
    let tokens: Range<Int>

    let matches: [PhraseMatch]

    /// Chooses the window of a length with the most different phrases, then the most occurrences, then the first one.
    /// The occurrences are in the order of their first tokens.
    init(_ matches: [PhraseMatch], tokenCount: Int, length: Int) {
        let length = min(length, tokenCount)
        // An occurrence that is longer than the window counts by its first tokens.
        let ends = matches.map { min($0.tokens.upperBound, $0.tokens.lowerBound + length) }
        var best = (phrases: 0, matches: 0, range: 0..<0)
        var counts: [Int: Int] = [:]
        var first = 0
        var inside = 0
        // Of equal ends the first one precedes.
        for last in ends.indices.sorted(by: { (ends[$0], $0) < (ends[$1], $1) }) {
            counts[matches[last].phrase, default: 0] += 1
            inside += 1
            // What begins before the window also ends in it, as it is no longer, so it has been counted.
            while first < matches.count, matches[first].tokens.lowerBound < ends[last] - length {
                let phrase = matches[first].phrase
                counts[phrase] = counts[phrase].flatMap { $0 > 1 ? $0 - 1 : nil }
                inside -= 1
                first += 1
            }
            if (counts.count, inside) > (best.phrases, best.matches) {
                best = (counts.count, inside, matches[first].tokens.lowerBound..<ends[last])
            }
        }
        let spare = max(length - best.range.count, 0)
        let wanted = best.matches == 0 ? 0 : best.range.lowerBound - spare / 2
        let start = max(0, min(wanted, tokenCount - length))
        let tokens = start..<start + length
        self.tokens = tokens
        self.matches = zip(matches, ends).filter { $0.0.tokens.lowerBound >= start && $0.1 <= tokens.upperBound }
            .map(\.0)
    }
}

extension SearchQuery {
    /// The ranges of a text that answer the query: each phrase, and the complete word where its beginning was
    /// asked for.
    ///
    /// Words are marked even if others of the query are missing in the text, which may be one of several columns; what
    /// is excluded is not marked.
    ///
    /// ```swift
    /// let text = "Crème brûlée"
    /// let found = SearchQuery.typing("bru").highlights(in: text).map { text[$0] }  // ["brûlée"]
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - tokenizer: The tokenizer of the index.
    /// - Returns: The ranges in order, which neither overlap nor split a character; none if the query is longer
    ///   than allowed.
    public func highlights(in text: String, tokenizer: TextTokenizer = .standard) -> [Range<String.Index>] {
        guard let phrases = try? expression(by: tokenizer).phrases, !phrases.isEmpty else { return [] }
        let tokens = tokenizer.tokens(in: text)
        let matches = PhraseFinder(phrases).matches(in: tokens)
        return TextRanges.merged(matches.compactMap { TextRanges.range(of: tokens[$0.tokens], in: text) })
    }
}

/// Ranges of characters of a text.
enum TextRanges {
    /// The range from the first to the last of some tokens, extended to complete characters; nil if it is empty.
    static func range(of tokens: ArraySlice<TextToken>, in text: String) -> Range<String.Index>? {
        guard let start = tokens.lazy.map(\.range.lowerBound).min(), let end = tokens.lazy.map(\.range.upperBound).max()
        else { return nil }
        let lower = startOfCharacter(start, in: text)
        let upperStart = startOfCharacter(end, in: text)
        let upper = upperStart < end ? text.index(after: upperStart) : upperStart
        return lower < upper ? lower..<upper : nil
    }

    /// The ranges in order; those that overlap become one.
    static func merged(_ ranges: [Range<String.Index>]) -> [Range<String.Index>] {
        var result: [Range<String.Index>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound < last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    private static func startOfCharacter(_ index: String.Index, in text: String) -> String.Index {
        index < text.endIndex ? text.index(before: text.index(after: index)) : text.endIndex
    }
}
