import Strongroom

extension FormatTranslation {
    /// `BEGINSWITH`, `ENDSWITH`, `CONTAINS` and `LIKE`.
    func search(_ comparison: FormatComparison, _ terms: (Term, Term)) throws -> Condition {
        switch terms {
        case (.property(let property), .constant(let constant)):
            try checkText(property, comparison)
            let part = try text(constant, comparison, at: comparison.right)
            guard comparison.sign != .like else { return try like(property, part, comparison) }
            let subject = Computed<String?>(enclosed: try sql(property, comparison))
            return switch comparison.sign {
            case .beginsWith: subject.hasPrefix(part)
            case .endsWith: subject.hasSuffix(part)
            default: subject.contains(part)
            }
        case (.property(let property), .property(let other)) where comparison.sign != .like:
            try checkText(property, comparison)
            try checkText(other, comparison)
            return search(try sql(property, comparison), try sql(other, comparison), comparison.sign)
        case (.constant(let constant), .property(let property)) where comparison.sign != .like:
            try checkText(property, comparison)
            let text = try text(constant, comparison, at: comparison.left)
            return search("\(text)", try sql(property, comparison), comparison.sign)
        case (.constant, .constant):
            throw mistake("Neither side is a property; write the name of one, without quotes.", at: comparison.left)
        default:
            throw mistake(
                comparison.sign == .like
                    ? "LIKE needs a property before it and a pattern after it."
                    : "\(comparison.sign.name) looks for one text in another; here is a list or a range.",
                at: comparison.range.lowerBound)
        }
    }

    private func checkText(_ property: any FormatProperty, _ comparison: FormatComparison) throws {
        guard property.kind == .text else {
            throw mistake(
                "\(comparison.sign.name) searches texts, and a \(property.type) is none; compare it as it is.",
                at: comparison.range.lowerBound)
        }
    }

    private func text(
        _ constant: FormatConstant, _ comparison: FormatComparison, at operand: FormatOperand
    ) throws -> String {
        guard let text = try constant.asText else {
            throw mistake("\(comparison.sign.name) takes a text, and \(constant.name) was given.", at: operand)
        }
        return comparison.isCaseless ? text.asciiFolded : text
    }

    /// A search whose pattern is a column; otherwise as with a text.
    private func search(_ subject: SQL, _ part: SQL, _ sign: FormatSign) -> Condition {
        let (bytes, wanted): (SQL, SQL) = ("CAST(\(subject) AS BLOB)", "CAST(\(part) AS BLOB)")
        let length = Condition("length(\(bytes)) >= length(\(wanted))")
        let isEmpty = Condition("length(\(wanted)) = 0")
        let found: Condition =
            switch sign {
            case .beginsWith: Condition("substr(\(bytes), 1, length(\(wanted))) = \(wanted)")
            case .endsWith: Condition("substr(\(bytes), -length(\(wanted))) = \(wanted)")
            default: Condition("instr(\(bytes), \(wanted)) > 0")
            }
        return length && (isEmpty || found)
    }

    /// The engine's LIKE is case-insensitive, its GLOB is case-sensitive; each has its own wildcards.
    private func like(
        _ property: any FormatProperty, _ pattern: String, _ comparison: FormatComparison
    ) throws -> Condition {
        guard !FormatPattern(pattern).isMeantForSQL else {
            throw mistake(
                #"""
                This LIKE has * for any text and ? for any character, and % stands for itself: without * and ? it \#
                would hardly find anything. Write * for %; for texts with a percent sign, write \\% or use CONTAINS.
                """#,
                at: comparison.right)
        }
        guard FormatPattern(pattern).starCount <= FormatPattern.mostStars else {
            throw mistake(
                """
                A pattern has at most \(FormatPattern.mostStars) stars, since more take an old engine very long; use \
                CONTAINS with AND.
                """,
                at: comparison.right)
        }
        guard !comparison.isCaseless else {
            return Computed<String?>(enclosed: property.sql).like(FormatPattern(pattern).like)
        }
        return Condition("\(property.sql) GLOB \(FormatPattern(pattern).glob)")
    }
}

/// A pattern with `*` for any text and `?` for any character; a backslash escapes either, and a percent sign.
struct FormatPattern {
    private enum Element {
        case anyText, anyCharacter
        case byte(UInt8)
    }

    private let elements: [Element]
    private let hasPercent: Bool

    /// Whether it has a percent sign that is not escaped, and no wildcard of this language.
    var isMeantForSQL: Bool {
        hasPercent
            && elements.allSatisfy { element in
                if case .byte = element { true } else { false }
            }
    }

    static let mostStars = 5

    /// The number of stars, with adjacent stars counted once.
    var starCount: Int {
        var (count, wasStar) = (0, false)
        for element in elements {
            if case .anyText = element {
                if !wasStar { count += 1 }
                wasStar = true
            } else {
                wasStar = false
            }
        }
        return count
    }

    // By bytes: Swift treats a star followed by a combining mark as one character.
    init(_ pattern: String) {
        var elements: [Element] = []
        var isEscaped = false
        var hasPercent = false
        for byte in pattern.utf8 {
            switch byte {
            case _ where isEscaped:
                let isSpecial = [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "%"), UInt8(ascii: "\\")].contains(
                    byte)
                elements += isSpecial ? [.byte(byte)] : [.byte(UInt8(ascii: "\\")), .byte(byte)]
                isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "*"): elements.append(.anyText)
            case UInt8(ascii: "?"): elements.append(.anyCharacter)
            default:
                hasPercent = hasPercent || byte == UInt8(ascii: "%")
                elements.append(.byte(byte))
            }
        }
        if isEscaped { elements.append(.byte(UInt8(ascii: "\\"))) }
        self.elements = elements
        self.hasPercent = hasPercent
    }

    /// The pattern for the engine's LIKE, with `\` as the escape character.
    var like: String {
        text(any: "%", one: "_") { byte in
            [UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: "\\")].contains(byte)
                ? [UInt8(ascii: "\\"), byte] : [byte]
        }
    }

    /// The pattern for the engine's GLOB, where a character in brackets is literal.
    var glob: String {
        text(any: "*", one: "?") { byte in
            let isSpecial = [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "[")].contains(byte)
            return isSpecial ? [UInt8(ascii: "["), byte, UInt8(ascii: "]")] : [byte]
        }
    }

    private func text(any: String, one: String, _ itself: (UInt8) -> [UInt8]) -> String {
        let bytes = elements.flatMap { element in
            switch element {
            case .anyText: Array(any.utf8)
            case .anyCharacter: Array(one.utf8)
            case .byte(let byte): itself(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
