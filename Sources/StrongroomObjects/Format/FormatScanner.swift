import Strongroom

/// Splits a predicate text into tokens.
struct FormatScanner {
    let text: String
    let bytes: [UInt8]
    var position = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    func byte(_ offset: Int = 0) -> UInt8 { position + offset < bytes.count ? bytes[position + offset] : 0 }

    func mistake(_ message: String, at position: Int? = nil, code: StrongroomError.Code = .invalidPredicate)
        -> StrongroomError
    {
        FormatMistake(in: text).error(message, at: position ?? self.position, code: code)
    }

    mutating func next() throws -> FormatToken {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(byte()) { position += 1 }
        let start = position
        let kind = position < bytes.count ? try scan() : .end
        return FormatToken(kind: kind, range: start..<position)
    }

    private mutating func scan() throws -> FormatToken.Kind {
        let first = byte()
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .text(try quotedText())
        case UInt8(ascii: "%"): return .placeholder(try argument())
        case UInt8(ascii: "["): return .option(try option())
        case UInt8(ascii: "#"):
            position += 1
            guard let name = name() else {
                throw mistake("A # stands before a property's name, as in #in; here is none.")
            }
            return .escapedName(name)
        case UInt8(ascii: "-") where byte(1).isDigit: return .number(try number())
        default:
            if first.isDigit { return .number(try number()) }
            if parsePlaceholder() { return .placeholder(.interpolated) }
            if let name = name() { return .word(name) }
            return try sign()
        }
    }

    private mutating func sign() throws -> FormatToken.Kind {
        for (spelling, kind) in Self.longSigns where byte() == spelling.0 && byte(1) == spelling.1 {
            position += 2
            return kind
        }
        guard let kind = Self.shortSign(byte()) else { throw unexpected() }
        position += 1
        return kind
    }

    private static let longSigns: [((UInt8, UInt8), FormatToken.Kind)] = [
        (pair("=="), .sign(.equal)), (pair("!="), .sign(.unequal)), (pair("<>"), .sign(.unequal)),
        (pair("<="), .sign(.lessOrEqual)), (pair("=<"), .sign(.lessOrEqual)), (pair(">="), .sign(.greaterOrEqual)),
        (pair("=>"), .sign(.greaterOrEqual)), (pair("&&"), .and), (pair("||"), .or),
    ]

    private static func pair(_ sign: String) -> (UInt8, UInt8) {
        let bytes = Array(sign.utf8)
        return (bytes[0], bytes[1])
    }

    private static func shortSign(_ byte: UInt8) -> FormatToken.Kind? {
        switch byte {
        case UInt8(ascii: "="): .sign(.equal)
        case UInt8(ascii: "<"): .sign(.less)
        case UInt8(ascii: ">"): .sign(.greater)
        case UInt8(ascii: "!"): .not
        case UInt8(ascii: "("): .leftParenthesis
        case UInt8(ascii: ")"): .rightParenthesis
        case UInt8(ascii: "{"): .leftBrace
        case UInt8(ascii: "}"): .rightBrace
        case UInt8(ascii: ","): .comma
        default: nil
        }
    }

    private func unexpected() -> StrongroomError {
        switch byte() {
        case UInt8(ascii: "&"), UInt8(ascii: "|"):
            mistake("A single & or | means nothing here; write && or ||, AND or OR.")
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"):
            mistake(
                "A predicate as text does not calculate; use the table's columns, as in where { $0.age + 1 > 18 }.",
                code: .notTranslatable)
        case UInt8(ascii: "."):
            mistake(
                "A predicate as text reads the properties of one table, not what they hold; use a join.",
                code: .notTranslatable)
        default:
            mistake("This character means nothing here; a text stands in quotes.")
        }
    }
}

extension FormatScanner {
    /// Scans a name, if one begins here.
    private mutating func name() -> String? {
        let start = position
        guard byte().isWordStart else { return nil }
        while position < bytes.count, byte().isWordByte {
            guard byte() >= 0x80 else {
                position += 1
                continue
            }
            let (scalar, length) = scalar()
            guard scalar != PredicateFormat.placeholder, !Self.endsName(scalar) else { break }
            position += length
        }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private static func endsName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format: true
        case .initialPunctuation, .finalPunctuation: true
        default: false
        }
    }

    /// The scalar at the current position, of two bytes or more, and its length.
    func scalar() -> (Unicode.Scalar, Int) {
        var decoder = UTF8()
        var iterator = bytes[position...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return ("\u{FFFD}", 1) }
        return (scalar, UTF8.width(scalar))
    }

    private mutating func parsePlaceholder() -> Bool {
        guard byte() >= 0x80 else { return false }
        let (scalar, length) = scalar()
        guard scalar == PredicateFormat.placeholder else { return false }
        position += length
        return true
    }

    /// Scans the text between brackets.
    private mutating func option() throws -> String {
        let start = position
        while position < bytes.count, byte() != UInt8(ascii: "]") { position += 1 }
        guard position < bytes.count else { throw mistake("The bracket is not closed; write [c].", at: start) }
        position += 1
        return String(decoding: bytes[start + 1..<position - 1], as: UTF8.self)
    }

    private mutating func argument() throws -> FormatPlaceholder.Kind {
        let start = position
        position += 1
        // C's length modifiers have no meaning in Swift.
        while position - start < 3, byte() == UInt8(ascii: "l") { position += 1 }
        guard let kind = Self.argument(byte()), kind == .integer || kind == .real || position == start + 1 else {
            throw mistake("An argument is %@, %d, %f, or %K for a property's name.", at: start)
        }
        position += 1
        return kind
    }

    private static func argument(_ byte: UInt8) -> FormatPlaceholder.Kind? {
        switch byte {
        case UInt8(ascii: "@"): .any
        case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"): .integer
        case UInt8(ascii: "f"), UInt8(ascii: "g"), UInt8(ascii: "e"): .real
        case UInt8(ascii: "K"): .property
        default: nil
        }
    }
}
