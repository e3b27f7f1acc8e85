/// A query to a full-text index: words, phrases, and how they are combined.
///
/// Nothing in the texts is syntax: what belongs to no word, such as quotation marks, operators and brackets, is
/// ignored. The tokenizer of the index splits the texts into words; a part between white space that has several,
/// such as "l'été", "mp-3" or "東京", is a phrase. CJK punctuation separates like white space.
///
/// A string literal is a query for all of its words. A query without a word finds nothing; as a part of
/// another it is left out.
///
/// ```swift
/// let query: SearchQuery = "quick fox"
/// let narrow = query && .phrase("lazy dog")
/// let rest = query.excluding(.any("cat mouse"))
/// let field = SearchQuery.typing("qui")
/// ```
///
/// A query is limited to 256 different phrases, 1,024 words in all, and 12 levels of nesting.
/// It is not cut: searching for more throws.
public struct SearchQuery: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The parts of a query as they were given.
    indirect enum Content: Sendable, Hashable {
        case words(String, isAny: Bool)
        case phrase(String)
        case typing(String)
        case all([SearchQuery])
        case any([SearchQuery])
        case excluding(SearchQuery, [SearchQuery])
        case tooDeep
    }

    let content: Content

    let depth: Int

    private init(_ content: Content, depth: Int = 0) {
        self.content = depth > Self.deepest ? .tooDeep : content
        self.depth = min(depth, Self.deepest)
    }

    // The parsers of the engines have a stack of a fixed size.
    static let deepest = 12

    /// A query for all words of a text, in any order.
    ///
    /// - Parameter value: The words.
    public init(stringLiteral value: String) {
        self = .all(value)
    }

    /// Finds texts with all words of a text, in any order.
    ///
    /// - Parameter text: The words.
    /// - Returns: The query.
    public static func all(_ text: String) -> Self {
        Self(.words(text, isAny: false))
    }

    /// Finds texts with at least one word of a text.
    ///
    /// - Parameter text: The words.
    /// - Returns: The query.
    public static func any(_ text: String) -> Self {
        Self(.words(text, isAny: true))
    }

    /// Finds texts with the words of a text next to each other and in the same order. What stands between them in the
    /// texts, such as punctuation, does not count.
    ///
    /// - Parameter text: The words.
    /// - Returns: The query.
    public static func phrase(_ text: String) -> Self {
        Self(.phrase(text))
    }

    /// Finds texts with all words of a text that is being typed: the last word may be the beginning of a word, unless
    /// the text ends in a space or another separator.
    ///
    /// - Parameter text: What has been typed so far.
    /// - Returns: The query.
    public static func typing(_ text: String) -> Self {
        Self(.typing(text))
    }

    /// Finds what this query finds and another does not.
    ///
    /// - Parameter other: The query for what is left out. Without a word it leaves out nothing.
    /// - Returns: The query.
    public func excluding(_ other: Self) -> Self {
        if case .excluding(let base, let others) = content {
            return Self(.excluding(base, others + [other]), depth: max(depth, other.depth + 1))
        }
        return Self(.excluding(self, [other]), depth: max(depth, other.depth) + 1)
    }

    /// Finds what both queries find.
    ///
    /// - Parameters:
    ///   - first: A query.
    ///   - second: Another query.
    /// - Returns: The query.
    public static func && (first: Self, second: Self) -> Self {
        joined(first, second, by: Content.all) { if case .all(let parts) = $0.content { parts } else { [$0] } }
    }

    /// Finds what at least one of two queries finds.
    ///
    /// - Parameters:
    ///   - first: A query.
    ///   - second: Another query.
    /// - Returns: The query.
    public static func || (first: Self, second: Self) -> Self {
        joined(first, second, by: Content.any) { if case .any(let parts) = $0.content { parts } else { [$0] } }
    }

    private static func joined(
        _ first: Self, _ second: Self, by content: ([Self]) -> Content, parts: (Self) -> [Self]
    ) -> Self {
        let parts = parts(first) + parts(second)
        return Self(content(parts), depth: (parts.map(\.depth).max() ?? 0) + 1)
    }
}

extension SearchQuery {
    /// The query in the terms of a tokenizer.
    ///
    /// - Throws: ``StrongroomError`` with `limit` if it has too many words, phrases or levels.
    package func expression(by tokenizer: TextTokenizer) throws -> SearchExpression {
        var compiler = SearchQueryCompiler(tokenizer)
        return try compiler.expression(self)
    }
}

/// Makes the expression of a query, and counts its phrases and words on the way. A query beyond the limits is not cut,
/// as it would find other things than asked for.
private struct SearchQueryCompiler {
    private static let maxPhrases = 256
    private static let maxWords = 1024

    private let tokenizer: TextTokenizer
    private var phrases: Set<SearchPhrase> = []
    private var wordCount = 0

    init(_ tokenizer: TextTokenizer) {
        self.tokenizer = tokenizer
    }

    mutating func expression(_ query: SearchQuery) throws -> SearchExpression {
        switch query.content {
        case .words(let text, let isAny):
            let parts = try words(text, isTyped: false)
            return isAny ? .any(of: parts) : .all(of: parts)
        case .typing(let text):
            return .all(of: try words(text, isTyped: true))
        case .phrase(let text):
            return try phrase(tokenizer.tokens(in: text))
        case .all(let parts):
            return .all(of: try parts.map { try expression($0) })
        case .any(let parts):
            return .any(of: try parts.map { try expression($0) })
        case .excluding(let base, let others):
            return try .excluding(expression(base), others.map { try expression($0) })
        case .tooDeep:
            throw Self.tooMany(SearchQuery.deepest, "levels of combined queries; combine fewer queries")
        }
    }

    /// A phrase for each part of a text between white space.
    private mutating func words(_ text: String, isTyped: Bool) throws -> [SearchExpression] {
        var result: [SearchExpression] = []
        let tokens = tokenizer.tokens(in: text)
        var start = 0
        for position in tokens.indices {
            let isLast = position + 1 == tokens.count
            if !isLast, !Self.areSeparated(tokens[position], tokens[position + 1], in: text) { continue }
            let isPrefix = isTyped && isLast && tokens[position].range.upperBound == text.endIndex
            result.append(try phrase(tokens[start...position], isPrefix: isPrefix))
            start = position + 1
        }
        return result
    }

    private mutating func phrase(
        _ tokens: some Collection<TextToken>, isPrefix: Bool = false
    ) throws -> SearchExpression {
        if tokens.isEmpty { return .nothing }
        if tokens.count > Self.maxWords { throw Self.tooManyWords }
        let phrase = SearchPhrase(tokens.map(\.term), isPrefix: isPrefix)
        if phrases.insert(phrase).inserted { wordCount += tokens.count }
        if phrases.count > Self.maxPhrases {
            throw Self.tooMany(Self.maxPhrases, "different words or phrases; ask for fewer words")
        }
        if wordCount > Self.maxWords { throw Self.tooManyWords }
        return .phrase(phrase)
    }

    /// The error for a query beyond a limit, which has none of its words in it.
    private static func tooMany(_ count: Int, _ what: String) -> StrongroomError {
        StrongroomError(.limit, "A search query has more than \(count) \(what).")
    }

    private static var tooManyWords: StrongroomError { tooMany(maxWords, "words; ask for fewer words") }

    /// Whether white space or CJK punctuation stands between two tokens of a text.
    private static func areSeparated(_ first: TextToken, _ second: TextToken, in text: String) -> Bool {
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
