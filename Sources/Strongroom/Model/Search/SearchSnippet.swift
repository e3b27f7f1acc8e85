/// A part of a text that shows how it answers a question.
public struct SearchSnippet: Sendable, Hashable {
    /// The part of the text, unchanged.
    public let text: String

    /// The ranges of `text` that answer the question, in order; they neither overlap nor split a character.
    public let highlights: [Range<String.Index>]

    /// Whether the whole text has more before this part.
    public let isCutAtStart: Bool

    /// Whether the whole text has more after this part.
    public let isCutAtEnd: Bool
}

extension SearchQuery {
    /// The part of a text with the most different phrases of the question.
    ///
    /// Of equal parts the one with the most occurrences is taken, then the first one. What is found stands in the
    /// middle of the part. A text that does not answer the question is shown from its first word on.
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
        let expression = (try? expression(by: tokenizer)) ?? .nothing
        let matches = SearchMatches(expression, in: tokens).matches
        let window = SnippetWindow(matches, tokenCount: tokens.count, length: max(words, 1))
        let range = SnippetText.range(of: tokens[window.tokens], in: text, length: max(words, 1))
        let highlights = TextRanges.merged(
            window.matches.compactMap {
                TextRanges.range(of: tokens[$0.tokens.clamped(to: window.tokens)], in: text)?.clamped(to: range)
            })
        return SearchSnippet(text, range, highlights: highlights)
    }
}

extension SearchSnippet {
    fileprivate init(_ whole: String, _ range: Range<String.Index>, highlights: [Range<String.Index>]) {
        let part = String(whole[range])
        func index(_ index: String.Index) -> String.Index {
            part.utf8.index(part.startIndex, offsetBy: whole.utf8.distance(from: range.lowerBound, to: index))
        }
        self.init(
            text: part, highlights: highlights.map { index($0.lowerBound)..<index($0.upperBound) },
            isCutAtStart: range.lowerBound > whole.startIndex, isCutAtEnd: range.upperBound < whole.endIndex)
    }
}

/// Where a snippet begins and ends.
private enum SnippetText {
    /// The range of some tokens with the punctuation beside them; of a text without tokens its first characters.
    static func range(of tokens: ArraySlice<TextToken>, in text: String, length: Int) -> Range<String.Index> {
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
