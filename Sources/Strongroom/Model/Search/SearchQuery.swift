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
