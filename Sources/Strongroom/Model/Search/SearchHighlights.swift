extension SearchQuery {
    /// The ranges of a text that answer the question: each phrase as a whole, and the whole word where its beginning
    /// was asked for.
    ///
    /// Words are marked even if others of the question are missing in the text, which may be one of several columns;
    /// what is excluded is not marked. A phrase of `near` is marked where it is near the next or the previous one.
    ///
    /// ```swift
    /// let text = "Crème brûlée"
    /// let found = SearchQuery.typing("bru").highlights(in: text).map { text[$0] }  // ["brûlée"]
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - tokenizer: The tokenizer of the index.
    /// - Returns: The ranges in order, which neither overlap nor split a character; none if the question is longer
    ///   than allowed.
    public func highlights(in text: String, tokenizer: TextTokenizer = .standard) -> [Range<String.Index>] {
        guard let expression = try? expression(by: tokenizer), expression != .nothing else { return [] }
        let tokens = tokenizer.tokens(in: text)
        let matches = SearchMatches(expression, in: tokens).matches
        return TextRanges.merged(matches.compactMap { TextRanges.range(of: tokens[$0.tokens], in: text) })
    }
}

/// Ranges of whole characters of a text.
enum TextRanges {
    /// The range from the first to the last of some tokens, extended to whole characters; nil if it is empty.
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
