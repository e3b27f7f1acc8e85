extension SearchQuery {
    /// Whether some texts answer the question, as the indexed columns of one row do in a search.
    ///
    /// It is for rows that are in no index, such as records in memory:
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
