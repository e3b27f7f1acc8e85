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
