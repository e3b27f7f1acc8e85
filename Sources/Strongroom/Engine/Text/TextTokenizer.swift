/// Splits a text into the terms of a full-text index, and folds differences in spelling.
///
/// A query is split by the tokenizer of the index that it searches, so both agree. An index stores the name of its
/// tokenizer, and must be rebuilt when the tokenizer changes.
///
/// A word is a run of letters, marks and digits. Scripts that are written without spaces, or whose words carry
/// attached particles (Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer, Myanmar, Tibetan), have a token for each
/// character; a word of a query is then a phrase of them. An emoji is one token, whatever its skin tone.
///
/// ```swift
/// let words = TextTokenizer("lines") { text in
///     text.split(separator: "\n").map { TextToken(String($0), $0.startIndex..<$0.endIndex) }
/// }
/// ```
public struct TextTokenizer: Sendable {
    /// The name that an index stores: "standard", "marks", "english", or the name of the program's own rules.
    public let name: String

    private let rules: Rules

    private enum Rules: Sendable {
        /// - Parameter stems: Whether English words are reduced to their stems.
        case standard(Folding, stems: Bool)
        case custom(@Sendable (String) -> [TextToken])
    }

    private init(name: String, rules: Rules) {
        self.name = name
        self.rules = rules
    }

    /// The version of the rules of `standard`, `keepingMarks` and `english`, which an index stores.
    package static let version = 1

    /// Folds case, width, compatibility forms and diacritics: "Ærø" is "aero", "Straße" is "strasse".
    public static let standard = TextTokenizer(name: "standard", rules: .standard(.standard, stems: false))

    /// Folds case, width and compatibility forms, but not diacritics: "é" is not "e". Its name is "marks".
    public static let keepingMarks = TextTokenizer(name: "marks", rules: .standard(.marks, stems: false))

    /// The standard rules, and English words are reduced to their stems by Porter's algorithm of 1980: "connected" is
    /// "connect". Only terms of the letters a–z are reduced.
    public static let english = TextTokenizer(name: "english", rules: .standard(.standard, stems: true))

    /// Makes a tokenizer with rules of the program's own.
    ///
    /// The terms are compared as they are given, capitals and diacritics included, so the function has to fold what
    /// should be equal. Empty terms are left out, and terms are cut at 128 scalars.
    ///
    /// - Parameters:
    ///   - name: The name that an index stores. Change it when the rules change.
    ///   - tokens: The tokens of a text, in order. The same text must give the same tokens each time. A range that
    ///     lies outside of the text is limited to it.
    public init(_ name: String, tokens: @escaping @Sendable (String) -> [TextToken]) {
        self.init(name: name, rules: .custom(tokens))
    }

    /// Whether it is one of the library's own.
    var isBuiltIn: Bool { if case .standard = rules { true } else { false } }

    /// Whether the terms of an ASCII text are its letters and digits, as ``ASCIITerms`` writes them.
    var hasPlainASCIITerms: Bool { if case .standard(_, stems: false) = rules { true } else { false } }

    /// The tokens of a text, in order, with terms as they are indexed: encoded, cut and not empty.
    package func tokens(in text: String) -> [TextToken] {
        switch rules {
        case .standard(let folding, let stems):
            return Self.tokens(in: text, folding, stems)
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
        case .standard(let folding, let stems):
            var text = text
            return text.withUTF8 { bytes in
                if !stems, let ascii = ASCIITerms.terms(of: bytes) { return ascii }
                var scanner = TermScanner(folding: folding, stems: stems, keepsSpans: false)
                scanner.scan(bytes)
                return String(decoding: scanner.terms, as: UTF8.self)
            }
        case .custom(let tokens):
            return tokens(text).map { TermEncoding.encoded($0.term) }.filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    private static func tokens(in text: String, _ folding: Folding, _ stems: Bool) -> [TextToken] {
        var contiguous = text
        let (terms, spans) = contiguous.withUTF8 { bytes in
            var scanner = TermScanner(folding: folding, stems: stems, keepsSpans: true)
            scanner.scan(bytes)
            return (scanner.terms, scanner.spans)
        }
        var position = (offset: 0, index: text.startIndex)
        return spans.map { span in
            let start = text.utf8.index(position.index, offsetBy: span.source.lowerBound - position.offset)
            position = (span.source.lowerBound, start)
            let end = text.utf8.index(start, offsetBy: span.source.count)
            return TextToken(String(decoding: terms[span.term], as: UTF8.self), start..<end)
        }
    }
}

extension TextTokenizer {
    /// The library's own tokenizers.
    static let builtIn: [TextTokenizer] = [.standard, .keepingMarks, .english]

    /// The library's own tokenizers, and the bytes of their rules.
    static let builtInRules = builtIn.map { (rule: Array($0.rule.utf8), tokenizer: $0) }

    /// The name under which an index refers to it. Names of the library's own end with the version of the rules: a
    /// release with other rules rebuilds the index.
    var rule: String { isBuiltIn ? "\(name)-\(Self.version)" : name }

    /// - Throws: ``StrongroomError`` with `invalidName` for a name that an index cannot store.
    func checkName() throws {
        let isPlain = name.utf8.allSatisfy { $0.isOfPlainName || $0 == UInt8(ascii: ".") }
        guard isBuiltIn || !Self.builtIn.contains(where: { $0.name == name || $0.rule == name }) else {
            throw StrongroomError(
                .invalidName, "The library has a tokenizer \"\(name)\" itself; give yours another name.")
        }
        guard isPlain, (1...255).contains(name.utf8.count) else {
            throw StrongroomError(
                .invalidName,
                """
                The name of a tokenizer consists of letters A to Z, digits, "_" and ".", and has 1 to 255 bytes; give \
                it another name.
                """)
        }
    }
}

/// A word of a text, from a tokenizer: the term that is indexed and its range in the text.
///
/// Several tokens may have the same range, such as the two words of the character "½".
public struct TextToken: Sendable, Hashable {
    /// The term, such as "ete" for the text "Été".
    public var term: String

    /// The range of the term in the text.
    public var range: Range<String.Index>

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - term: The term. An empty term is not indexed; of a longer one the first 128 scalars are.
    ///   - range: The range of the term in the text. It is used for highlights and snippets, and in
    ///     queries to distinguish words between white space from parts of one.
    public init(_ term: String, _ range: Range<String.Index>) {
        self.term = term
        self.range = range
    }
}

extension UInt8 {
    /// Whether it is a letter from A to Z, a digit or `_`.
    var isOfPlainName: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        default: false
        }
    }
}
