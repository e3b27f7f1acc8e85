extension SearchQuery {
    /// The question in the terms of an index.
    ///
    /// - Throws: ``StrongroomError`` with `limit` if it has too many words, phrases, texts or levels; the error has
    ///   none of them in it.
    func asked(of index: FullTextIndex, in table: String) throws -> SearchExpression {
        do {
            return try expression(by: index.tokenizer)
        } catch {
            let (what, advice) =
                switch error {
                case .phrases: ("different words or phrases", "ask for fewer words")
                case .words: ("words", "ask for fewer words")
                case .nearTexts: ("texts in `near`", "combine several questions with `&&`")
                case .levels: ("levels of combined questions", "combine fewer questions")
                }
            throw StrongroomError(
                .limit,
                "A question to table \"\(table)\" has more than \(error.greatest) \(what); \(advice).")
        }
    }
}
