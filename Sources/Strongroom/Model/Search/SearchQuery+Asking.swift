extension SearchQuery {
    /// The question in the terms of an index.
    ///
    /// - Throws: ``StrongroomError`` with `limit` if it has too many words, phrases, texts or levels; the error has
    ///   none of them in it.
    func asked(of index: FullTextIndex, in table: String) throws -> SearchExpression {
        do {
            return try expression(by: index.tokenizer)
        } catch {
            throw error.refusal("A question to table \"\(table)\"")
        }
    }
}

extension SearchQueryLimit {
    /// The error for a question, which has none of its words in it.
    func refusal(_ question: String) -> StrongroomError {
        let (what, advice) =
            switch self {
            case .phrases: ("different words or phrases", "ask for fewer words")
            case .words: ("words", "ask for fewer words")
            case .nearTexts: ("texts in `near`", "combine several questions with `&&`")
            case .levels: ("levels of combined questions", "combine fewer questions")
            }
        return StrongroomError(.limit, "\(question) has more than \(greatest) \(what); \(advice).")
    }
}
