/// A word of a text, as a tokenizer gives it: the term that is indexed and the range of the text it stands for.
///
/// Several tokens may have the same range, such as the two words of the character "½".
public struct TextToken: Sendable, Hashable {
    /// The term, such as "ete" for the text "Été".
    public var term: String

    /// The range of the text that the term stands for.
    public var range: Range<String.Index>

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - term: The term. An empty term is not indexed; of a longer one the first 128 scalars are.
    ///   - range: The range of the text that the term stands for. It is used for highlights and snippets, and in
    ///     questions to tell words between white space from parts of one.
    public init(_ term: String, _ range: Range<String.Index>) {
        self.term = term
        self.range = range
    }
}
