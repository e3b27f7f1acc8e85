import Strongroom

extension FormatParser {
    /// Two operands and the operator between them.
    mutating func comparison() throws -> FormatComparison {
        try countComparison()
        let left = try operand()
        let range = token.range
        let sign = try sign()
        let isCaseless = try isCaseless(sign)
        let right = try operand()
        try check(left, sign, right, at: range)
        return FormatComparison(left: left, sign: sign, isCaseless: isCaseless, right: right, range: range)
    }

    private func check(_ left: FormatOperand, _ sign: FormatSign, _ right: FormatOperand, at range: Range<Int>) throws {
        if case .list = left.content {
            throw mistake("A list stands to the right of IN or BETWEEN.", at: left.range.lowerBound)
        }
        let takesList = sign == .isIn || sign == .between
        guard case .list(let elements) = right.content else {
            if case .argument = right.content { return }
            guard takesList else { return }
            throw mistake("\(sign.name) takes a list in braces, as in {18, 30}.", at: right.range.lowerBound)
        }
        guard takesList else {
            throw mistake("A list stands to the right of IN or BETWEEN.", at: right.range.lowerBound)
        }
        if sign == .between, elements.count != 2 {
            throw mistake("BETWEEN takes two values, as in {18, 30}.", at: right.range.lowerBound)
        }
    }

    private mutating func sign() throws -> FormatSign {
        switch token.kind {
        case .sign(let sign):
            try advance()
            return sign
        case .word(let word):
            if let sign = Self.sign(word) {
                try advance()
                return sign
            }
            throw refusal(ofSign: word)
        case .not:
            throw mistake("NOT and ! precede the comparison: NOT name == 'Ada'.")
        default:
            throw mistake("An operator belongs here, such as ==, < or BEGINSWITH.")
        }
    }

    private static func sign(_ word: String) -> FormatSign? {
        switch word.utf8.count {
        case 2: word.isKeyword("IN") ? .isIn : nil
        case 4: word.isKeyword("LIKE") ? .like : nil
        case 7: word.isKeyword("BETWEEN") ? .between : nil
        case 8: word.isKeyword("CONTAINS") ? .contains : word.isKeyword("ENDSWITH") ? .endsWith : nil
        case 10: word.isKeyword("BEGINSWITH") ? .beginsWith : nil
        default: nil
        }
    }

    private func refusal(ofSign word: String) -> StrongroomError {
        if word.isKeyword("MATCHES") {
            return mistake(
                """
                MATCHES needs regular expressions, which the engine does not have; use LIKE, or filter the records in \
                Swift.
                """,
                code: .notTranslatable)
        }
        if word.isKeyword("NOT") {
            return mistake("NOT precedes the comparison: NOT age IN {18, 21}.")
        }
        if word.isKeyword("IS") { return mistake("IS is not an operator here: compare with == NIL or != NIL.") }
        return mistake(
            "\"\(word)\" is not an operator; there are IN, BETWEEN, BEGINSWITH, ENDSWITH, CONTAINS and LIKE.")
    }

    /// Whether `[c]` follows the operator.
    private mutating func isCaseless(_ sign: FormatSign) throws -> Bool {
        guard case .option(let option) = token.kind else { return false }
        if option.isKeyword("C") {
            try advance()
            return true
        }
        guard !["d", "cd", "dc"].contains(option.lowercased()) else {
            throw mistake(
                """
                [d] treats é like e, which the engine cannot; use [c], or search a column without accents.
                """,
                code: .notTranslatable)
        }
        throw mistake("Only [c] may follow an operator, for texts in which case is ignored.")
    }

    private mutating func operand() throws -> FormatOperand {
        let content: FormatOperand.Content
        switch token.kind {
        case .word(let word): content = try constant(word) ?? .property(try property(word))
        case .escapedName(let name): content = .property(name)
        case .number(let number): content = .number(number)
        case .text(let text): content = .text(text)
        case .placeholder(let kind): content = .argument(kind, number(kind, token.range))
        case .leftBrace: return try list()
        case .leftParenthesis:
            throw mistake("Parentheses stand around comparisons; a list of values stands in braces: {18, 30}.")
        case .end: throw mistake("The predicate ends here; a property or a value is missing.")
        default: throw mistake("A property or a value belongs here.")
        }
        return FormatOperand(content: content, range: try advance().range)
    }

    private func constant(_ word: String) throws -> FormatOperand.Content? {
        switch word.utf8.count {
        case 2: word.isKeyword("NO") ? .bool(false) : nil
        case 3: word.isKeyword("NIL") ? .null : word.isKeyword("YES") ? .bool(true) : nil
        case 4: word.isKeyword("TRUE") ? .bool(true) : word.isKeyword("NULL") ? .null : nil
        case 5: word.isKeyword("FALSE") ? .bool(false) : nil
        default: nil
        }
    }

    private func property(_ word: String) throws -> String {
        let isTaken =
            Self.sign(word) != nil || token.isAnd || token.isOr || token.isNot || word.isKeyword("MATCHES")
        guard !isTaken else {
            throw mistake("A property or a value belongs here; a property of this name is written #\(word).")
        }
        return word
    }

    private mutating func list() throws -> FormatOperand {
        let start = try advance()
        var elements: [FormatOperand] = []
        if case .rightBrace = token.kind {
            return FormatOperand(content: .list([]), range: start.range.lowerBound..<(try advance().range.upperBound))
        }
        while true {
            if case .leftBrace = token.kind { throw mistake("A list holds values, not lists.") }
            elements.append(try operand())
            switch token.kind {
            case .comma: try advance()
            case .rightBrace:
                let range = start.range.lowerBound..<(try advance().range.upperBound)
                return FormatOperand(content: .list(elements), range: range)
            case .end: throw mistake("This brace is not closed.", at: start.range.lowerBound)
            default: throw mistake("A comma or a closing brace belongs here.")
            }
        }
    }
}
