/// A token of SQL text, as in the engine's tokenizer; the concatenated texts of all tokens are the SQL.
package struct SQLToken: Equatable {
    package enum Kind {
        /// Whitespace or a comment.
        case space
        /// A keyword or an unquoted name.
        case word
        /// A name in quotation marks, backticks or brackets.
        case quoted
        /// A string or blob literal.
        case literal
        case number
        /// Any other single character.
        case sign
    }

    package let kind: Kind
    package var text: String

    /// The name that the token may stand for; nil if it is no name.
    package var name: String? {
        switch kind {
        case .word: text
        case .quoted: Self.unquoted(text)
        default: nil
        }
    }

    package func isWord(_ keywords: String...) -> Bool { kind == .word && keywords.contains(text.uppercased()) }
    package func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }

    /// Whether the token may be the given name; the case of A to Z is ignored.
    func isNamed(_ wanted: String) -> Bool { name?.isSameName(as: wanted) ?? false }

    package static func unquoted(_ text: String) -> String {
        guard let first = text.unicodeScalars.first else { return text }
        let inner = String(text.unicodeScalars.dropFirst().dropLast())
        guard first != "[" else { return inner }
        var plain = String.UnicodeScalarView()
        var skips = false
        for scalar in inner.unicodeScalars {
            skips = scalar == first && !skips
            if !skips { plain.append(scalar) }
        }
        return String(plain)
    }
}

extension String {
    /// The name as the engine compares it: A to Z in lower case, all others unchanged.
    ///
    /// For names that are displayed, hashed or looked up; two names are compared by ``isSameName(as:)``.
    package var asciiFolded: String {
        String(decoding: utf8.map(Self.folded), as: UTF8.self)
    }

    /// Whether the engine treats two names as equal: the case of A to Z is ignored, that of É and é is not. Names that
    /// Swift treats as equal but that differ in their Unicode composition are different.
    package func isSameName(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8) { Self.folded($0) == Self.folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension [SQLToken] {
    package init(sql: String) {
        var scanner = SQLScanner(sql)
        self = []
        while let token = scanner.next() { append(token) }
    }

    package var sql: String { map(\.text).joined() }

    /// A normalised form of a statement for comparisons, independent of whitespace, comments, quotation marks and case.
    static func normalised(_ sql: String) -> String { [SQLToken](sql: sql).normalised }

    var normalised: String {
        var tokens = filter { $0.kind != .space }
        while tokens.last?.isSign(";") == true { tokens.removeLast() }
        return tokens.map { $0.name?.asciiFolded ?? $0.text }.joined(separator: " ")
    }

    func significant(after position: Int) -> SQLToken? {
        self[Swift.min(position + 1, count)...].first { $0.kind != .space }
    }

    func significant(before position: Int) -> SQLToken? {
        self[..<position].last { $0.kind != .space }
    }
}

/// Splits SQL into tokens by the rules of the engine's tokenize.c.
private struct SQLScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ sql: String) { bytes = Array(sql.utf8) }

    mutating func next() -> SQLToken? {
        guard position < bytes.count else { return nil }
        let start = position
        let kind = scan()
        return SQLToken(kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private func byte(_ offset: Int = 0) -> UInt8 { position + offset < bytes.count ? bytes[position + offset] : 0 }

    private mutating func scan() -> SQLToken.Kind {
        let first = byte()
        switch first {
        case 0x09...0x0D, 0x20:
            position += 1
            return .space
        case UInt8(ascii: "-") where byte(1) == first:
            skip { $0 != 0x0A }
            return .space
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
            skipComment()
            return .space
        case UInt8(ascii: "'"):
            skipQuoted(first)
            return .literal
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            skipQuoted(first)
            return .quoted
        case UInt8(ascii: "["):
            skip { $0 != UInt8(ascii: "]") }
            position = min(position + 1, bytes.count)
            return .quoted
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard byte(1) == UInt8(ascii: "'") else { return word() }
            position += 1
            skipQuoted(UInt8(ascii: "'"))
            return .literal
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            skip { Self.isWord($0) || $0 == UInt8(ascii: ".") }
            return .number
        default:
            if Self.isWord(first) { return word() }
            position += 1
            return .sign
        }
    }

    private mutating func word() -> SQLToken.Kind {
        skip(while: Self.isWord)
        return .word
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while position < bytes.count, condition(bytes[position]) { position += 1 }
    }

    private mutating func skipComment() {
        position += 2
        while position < bytes.count, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { position += 1 }
        position = min(position + 2, bytes.count)
    }

    private mutating func skipQuoted(_ quote: UInt8) {
        position += 1
        while position < bytes.count {
            if byte() == quote {
                guard byte(1) == quote else { break }
                position += 1
            }
            position += 1
        }
        position = min(position + 1, bytes.count)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...0xFF: true
        default: false
        }
    }
}
