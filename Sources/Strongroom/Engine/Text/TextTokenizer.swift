/// Splits a text into the words that a full-text index has of it, and folds differences in spelling.
///
/// A question is split by the tokenizer of the index it is put to, so both agree. What a tokenizer does depends on its
/// name, which is kept with the index: an index must be rebuilt when its tokenizer changes.
///
/// A word is a run of letters, marks and digits. Scripts that are written without spaces, or whose words carry
/// attached particles (Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer, Myanmar, Tibetan), have a token for each
/// character; a word of the question is then a phrase of them. An emoji is one token, whatever its skin tone.
///
/// ```swift
/// let words = TextTokenizer("lines") { text in
///     text.split(separator: "\n").map { TextToken(String($0), $0.startIndex..<$0.endIndex) }
/// }
/// ```
public struct TextTokenizer: Sendable {
    /// The name that is kept with an index: "standard", "marks", "english", or the name of the program's own rules.
    public let name: String

    private let rules: Rules

    private enum Rules: Sendable {
        case standard(StandardTokenizer)
        case custom(@Sendable (String) -> [TextToken])
    }

    private init(name: String, rules: Rules) {
        self.name = name
        self.rules = rules
    }

    /// The version of the rules of `standard`, `keepingMarks` and `english`, which is kept with an index.
    package static let version = 1

    /// Folds case, width, compatibility forms and diacritics: "Ærø" is "aero", "Straße" is "strasse".
    public static let standard = TextTokenizer(
        name: "standard", rules: .standard(StandardTokenizer(folding: .standard, stems: false)))

    /// Folds case, width and compatibility forms, but not diacritics: "é" is not "e". Its name is "marks".
    public static let keepingMarks = TextTokenizer(
        name: "marks", rules: .standard(StandardTokenizer(folding: .marks, stems: false)))

    /// The standard rules, and English words are reduced to their stems by Porter's algorithm of 1980: "connected" is
    /// "connect". Only terms of the letters a–z are reduced.
    public static let english = TextTokenizer(
        name: "english", rules: .standard(StandardTokenizer(folding: .standard, stems: true)))

    /// Makes a tokenizer with rules of the program's own.
    ///
    /// The terms are compared as they are given, capitals and diacritics included, so the function has to fold what
    /// should be equal. Empty terms are left out, and terms are cut at 128 scalars.
    ///
    /// - Parameters:
    ///   - name: The name that is kept with an index. Change it when the rules change.
    ///   - tokens: The tokens of a text, in order. The same text must give the same tokens each time. A range that
    ///     lies outside of the text is limited to it.
    public init(_ name: String, tokens: @escaping @Sendable (String) -> [TextToken]) {
        self.init(name: name, rules: .custom(tokens))
    }

    /// Whether it is one of the library's own.
    var isBuiltIn: Bool { if case .standard = rules { true } else { false } }

    /// Whether the terms of an ASCII text are its letters and digits, as ``ASCIITerms`` writes them.
    var hasPlainASCIITerms: Bool { if case .standard(let standard) = rules { !standard.stems } else { false } }

    /// The tokens of a text, in order, with terms as they are indexed: encoded, cut and not empty.
    package func tokens(in text: String) -> [TextToken] {
        switch rules {
        case .standard(let standard):
            return standard.tokens(in: text)
        case .custom(let tokens):
            return tokens(text).compactMap { token in
                let term = TermEncoding.encoded(token.term)
                return term.isEmpty ? nil : TextToken(term, token.range.clamped(to: text.startIndex..<text.endIndex))
            }
        }
    }

    /// What is indexed of a text: its encoded terms, separated by one space.
    package func terms(of text: String) -> String {
        switch rules {
        case .standard(let standard):
            return standard.terms(of: text)
        case .custom(let tokens):
            return tokens(text).map { TermEncoding.encoded($0.term) }.filter { !$0.isEmpty }.joined(separator: " ")
        }
    }
}
