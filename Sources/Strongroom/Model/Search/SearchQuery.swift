/// A question to a full-text index: words, phrases, and how they are combined.
///
/// Nothing in the texts is syntax: what belongs to no word, such as quotation marks, operators and brackets, is
/// ignored. The tokenizer of the index splits the texts into words; a piece between white space that has several,
/// such as "l'été", "mp-3" or "東京", is a phrase. CJK punctuation separates like white space.
///
/// A string literal is a question for all of its words. A question without a word finds nothing; as a part of
/// another it is left out.
///
/// ```swift
/// let query: SearchQuery = "quick fox"
/// let narrow = query && .phrase("lazy dog")
/// let rest = query.excluding(.any("cat mouse"))
/// let field = SearchQuery.typing("qui")
/// ```
///
/// A question is limited to 256 different phrases, 1,024 words in all, 8 texts in `near`, and 12 levels of nesting.
/// It is not cut: searching for more throws.
public struct SearchQuery: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The parts of a question as they were given.
    indirect enum Content: Sendable, Hashable {
        case words(String, isAny: Bool)
        case phrase(String)
        case typing(String)
        case near([String], Int)
        case all([SearchQuery])
        case any([SearchQuery])
        case excluding(SearchQuery, [SearchQuery])
        case tooDeep
    }

    let content: Content

    /// The number of levels of combined questions.
    let depth: Int

    private init(_ content: Content, depth: Int = 0) {
        self.content = depth > Self.deepest ? .tooDeep : content
        self.depth = min(depth, Self.deepest)
    }

    // The parsers of the engines have a stack of a fixed size.
    static let deepest = 12

    /// A question for all words of a text, in any order.
    ///
    /// - Parameter value: The words.
    public init(stringLiteral value: String) {
        self = .all(value)
    }

    /// Finds texts with all words of a text, in any order.
    ///
    /// - Parameter text: The words.
    /// - Returns: The question.
    public static func all(_ text: String) -> Self {
        Self(.words(text, isAny: false))
    }

    /// Finds texts with at least one word of a text.
    ///
    /// - Parameter text: The words.
    /// - Returns: The question.
    public static func any(_ text: String) -> Self {
        Self(.words(text, isAny: true))
    }

    /// Finds texts with the words of a text next to each other and in the same order. What stands between them in the
    /// texts, such as punctuation, does not count.
    ///
    /// - Parameter text: The words.
    /// - Returns: The question.
    public static func phrase(_ text: String) -> Self {
        Self(.phrase(text))
    }

    /// Finds texts with all words of a text that is being typed: the last word may be the beginning of a word, unless
    /// the text ends in a space or another separator.
    ///
    /// - Parameter text: What has been typed so far.
    /// - Returns: The question.
    public static func typing(_ text: String) -> Self {
        Self(.typing(text))
    }

    /// Finds texts where each of some phrases is near the next one of them, before or after it.
    ///
    /// - Parameters:
    ///   - texts: The phrases, at most eight. With three or more, the second has to be near the first, the third near
    ///     the second, and so on; the first and the third may be farther apart.
    ///   - words: The number of words that may stand between two of them, 0 to 1,000; other numbers are limited to
    ///     these.
    /// - Returns: The question.
    public static func near(_ texts: String..., within words: Int = 10) -> Self {
        Self(.near(texts, min(max(words, 0), 1000)))
    }

    /// Finds what this question finds and another does not.
    ///
    /// - Parameter other: The question for what is left out. Without a word it leaves out nothing.
    /// - Returns: The question.
    public func excluding(_ other: Self) -> Self {
        if case .excluding(let base, let others) = content {
            return Self(.excluding(base, others + [other]), depth: max(depth, other.depth + 1))
        }
        return Self(.excluding(self, [other]), depth: max(depth, other.depth) + 1)
    }

    /// Finds what both questions find.
    ///
    /// - Parameters:
    ///   - first: A question.
    ///   - second: Another question.
    /// - Returns: The question.
    public static func && (first: Self, second: Self) -> Self {
        let parts = [first, second].flatMap { query in
            if case .all(let parts) = query.content { parts } else { [query] }
        }
        return Self(.all(parts), depth: (parts.map(\.depth).max() ?? 0) + 1)
    }

    /// Finds what at least one of two questions finds.
    ///
    /// - Parameters:
    ///   - first: A question.
    ///   - second: Another question.
    /// - Returns: The question.
    public static func || (first: Self, second: Self) -> Self {
        let parts = [first, second].flatMap { query in
            if case .any(let parts) = query.content { parts } else { [query] }
        }
        return Self(.any(parts), depth: (parts.map(\.depth).max() ?? 0) + 1)
    }
}

extension SearchQuery {
    /// The question in the terms of a tokenizer.
    ///
    /// - Throws: `SearchQueryLimit` if the question has too many words, phrases, texts or levels.
    package func expression(by tokenizer: TextTokenizer) throws(SearchQueryLimit) -> SearchExpression {
        var compiler = SearchQueryCompiler(tokenizer)
        return try compiler.expression(self)
    }
}

/// Makes the expression of a question, and counts its phrases and words on the way.
private struct SearchQueryCompiler {
    private let tokenizer: TextTokenizer
    private var phrases: Set<SearchPhrase> = []
    private var wordCount = 0

    init(_ tokenizer: TextTokenizer) {
        self.tokenizer = tokenizer
    }

    mutating func expression(_ query: SearchQuery) throws(SearchQueryLimit) -> SearchExpression {
        switch query.content {
        case .words(let text, let isAny):
            let parts = try pieces(text, isTyped: false)
            return isAny ? .any(of: parts) : .all(of: parts)
        case .typing(let text):
            return .all(of: try pieces(text, isTyped: true))
        case .phrase(let text):
            return try phrase(tokenizer.tokens(in: text))
        case .near(let texts, let words):
            return try near(texts, words)
        case .all(let parts):
            return .all(of: try expressions(parts))
        case .any(let parts):
            return .any(of: try expressions(parts))
        case .excluding(let base, let others):
            let excluded = try expressions(others)
            return .excluding(try expression(base), excluded)
        case .tooDeep:
            throw .levels
        }
    }

    private mutating func expressions(_ queries: [SearchQuery]) throws(SearchQueryLimit) -> [SearchExpression] {
        var result: [SearchExpression] = []
        for query in queries { result.append(try expression(query)) }
        return result
    }

    /// The words of a text: a phrase for each piece between white space.
    private mutating func pieces(_ text: String, isTyped: Bool) throws(SearchQueryLimit) -> [SearchExpression] {
        var result: [SearchExpression] = []
        let tokens = tokenizer.tokens(in: text)
        var start = 0
        for position in tokens.indices {
            let isLast = position + 1 == tokens.count
            if !isLast, !QueryPieces.areSeparated(tokens[position], tokens[position + 1], in: text) { continue }
            let isPrefix = isTyped && isLast && tokens[position].range.upperBound == text.endIndex
            result.append(try phrase(tokens[start...position], isPrefix: isPrefix))
            start = position + 1
        }
        return result
    }

    private mutating func near(_ texts: [String], _ words: Int) throws(SearchQueryLimit) -> SearchExpression {
        if texts.count > SearchQueryLimit.nearTexts.greatest { throw .nearTexts }
        var phrases: [SearchPhrase] = []
        for text in texts {
            guard case .phrase(let phrase) = try phrase(tokenizer.tokens(in: text)) else { continue }
            if !phrases.contains(phrase) { phrases.append(phrase) }
        }
        return SearchExpression.nearEachNext(phrases, words)
    }

    private mutating func phrase(
        _ tokens: some Collection<TextToken>, isPrefix: Bool = false
    ) throws(SearchQueryLimit) -> SearchExpression {
        if tokens.isEmpty { return .nothing }
        if tokens.count > SearchQueryLimit.words.greatest { throw .words }
        let phrase = SearchPhrase(tokens.map(\.term), isPrefix: isPrefix)
        if phrases.insert(phrase).inserted { wordCount += tokens.count }
        if phrases.count > SearchQueryLimit.phrases.greatest { throw .phrases }
        if wordCount > SearchQueryLimit.words.greatest { throw .words }
        return .phrase(phrase)
    }
}

/// Where the words of a question belong to different pieces.
private enum QueryPieces {
    /// Whether white space or CJK punctuation stands between two tokens of a text.
    static func areSeparated(_ first: TextToken, _ second: TextToken, in text: String) -> Bool {
        guard first.range.upperBound < second.range.lowerBound else { return false }
        let between = text.unicodeScalars[first.range.upperBound..<second.range.lowerBound]
        return between.contains { $0.properties.isWhitespace || isPunctuation($0.value) || $0 == "\u{200B}" }
    }

    private static func isPunctuation(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x3001...0x3003, 0x3008...0x3020, 0x3030, 0x30FB, 0xFE10...0xFE19, 0xFE30...0xFE4F, 0xFF01...0xFF0F,
            0xFF1A...0xFF20, 0xFF3B...0xFF40, 0xFF5B...0xFF65:
            true
        default: false
        }
    }
}

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
