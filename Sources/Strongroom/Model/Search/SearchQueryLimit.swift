/// A limit that a question exceeds. Questions are not cut, as they would find other things than asked for.
package enum SearchQueryLimit: Error, Hashable, Sendable {
    /// More different words or phrases than may be in a question.
    case phrases(Int)

    /// More words, those of phrases counted one by one, than may be in a question.
    case words(Int)

    /// More texts than may be in `near`.
    case nearTexts(Int)

    /// More levels of combined questions.
    case levels(Int)

    /// The greatest number allowed.
    package var greatest: Int {
        switch self {
        case .phrases(let count), .words(let count), .nearTexts(let count), .levels(let count): count
        }
    }

    static let phrases = phrases(256)
    static let words = words(1024)
    static let nearTexts = nearTexts(8)
    static let levels = levels(SearchQuery.deepest)
}
