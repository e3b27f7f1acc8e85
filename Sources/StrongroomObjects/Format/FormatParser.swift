import Strongroom

/// Parses a predicate text into a syntax tree.
///
/// ```
/// either     = all ("OR" all)*
/// all        = one ("AND" one)*
/// one        = "NOT" one | "(" either ")" | operand operator ["[c]"] operand
/// operand    = property | value | argument | "{" [operand ("," operand)*] "}"
/// ```
struct FormatParser {
    private var scanner: FormatScanner
    private(set) var token: FormatToken
    private var depth = 0
    private var comparisonCount = 0
    private var placeholders: [FormatPlaceholder] = []
    private var interpolationCount = 0

    /// More than practical texts need, and within the engine's limit: SQLCipher 3 fails at 30 levels of AND in OR, and
    /// at 18 of NOT with AND (measured).
    static let deepest = 14
    static let maxComparisons = 500

    static func parse(_ text: String) throws -> ParsedFormat {
        var parser = try FormatParser(text)
        if case .end = parser.token.kind {
            throw parser.mistake("The predicate is empty; leave where out to find every row.")
        }
        return try parser.whole(text)
    }

    private init(_ text: String) throws {
        scanner = FormatScanner(text)
        token = try scanner.next()
    }

    private mutating func whole(_ text: String) throws -> ParsedFormat {
        let root = try either()
        switch token.kind {
        case .end: break
        case .rightParenthesis: throw mistake("There is no opening parenthesis for this closing one.")
        default: throw mistake("The comparison ends before this; join another one by AND or OR.")
        }
        return ParsedFormat(text, root, placeholders: placeholders, interpolationCount: interpolationCount)
    }

    /// The error for a mistake, by default at the current token.
    func mistake(
        _ message: String, at position: Int? = nil, code: StrongroomError.Code = .invalidPredicate
    ) -> StrongroomError {
        scanner.mistake(message, at: position ?? token.range.lowerBound, code: code)
    }

    /// Advances to the next token.
    ///
    /// - Returns: The previous token.
    @discardableResult
    mutating func advance() throws -> FormatToken {
        let before = token
        token = try scanner.next()
        return before
    }

    private mutating func either() throws -> FormatNode {
        var parts = [try all()]
        while token.isOr {
            try advance()
            parts.append(try all())
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all() throws -> FormatNode {
        var parts = [try one()]
        while token.isAnd {
            try advance()
            parts.append(try one())
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func one() throws -> FormatNode {
        // An operand adds no level.
        guard depth <= Self.deepest else {
            throw mistake("The predicate is more than \(Self.deepest) levels deep; make it flatter.")
        }
        depth += 1
        defer { depth -= 1 }
        if token.isNot {
            try advance()
            return .not(try one())
        }
        guard case .leftParenthesis = token.kind else { return .comparison(try comparison()) }
        let start = try advance()
        let inner = try either()
        guard case .rightParenthesis = token.kind else {
            if case .end = token.kind { throw mistake("This parenthesis is not closed.", at: start.range.lowerBound) }
            throw mistake("A closing parenthesis, AND or OR belongs here.")
        }
        try advance()
        return inner
    }

    /// Counts a comparison.
    mutating func countComparison() throws {
        comparisonCount += 1
        guard comparisonCount <= Self.maxComparisons else {
            throw mistake("The predicate has more than \(Self.maxComparisons) comparisons; use IN with a list.")
        }
    }

    /// Assigns an index to a placeholder.
    mutating func number(_ kind: FormatPlaceholder.Kind, _ range: Range<Int>) -> Int {
        if kind == .interpolated {
            interpolationCount += 1
            return interpolationCount - 1
        }
        placeholders.append(FormatPlaceholder(kind: kind, range: range))
        return placeholders.count - 1
    }
}

extension FormatToken {
    var isAnd: Bool {
        switch kind {
        case .and: true
        case .word(let word): word.isKeyword("AND")
        default: false
        }
    }

    var isOr: Bool {
        switch kind {
        case .or: true
        case .word(let word): word.isKeyword("OR")
        default: false
        }
    }

    var isNot: Bool {
        switch kind {
        case .not: true
        case .word(let word): word.isKeyword("NOT")
        default: false
        }
    }
}

extension String {
    /// Whether the token is a keyword, in upper or lower case.
    ///
    /// - Parameter keyword: The keyword in upper case.
    func isKeyword(_ keyword: StaticString) -> Bool {
        utf8.count == keyword.utf8CodeUnitCount
            && keyword.withUTF8Buffer { wanted in
                zip(utf8, wanted).allSatisfy { byte, letter in byte & 0xDF == letter }
            }
    }
}
