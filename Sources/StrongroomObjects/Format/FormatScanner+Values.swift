import Strongroom

extension FormatScanner {
    /// Scans a quoted text.
    mutating func quotedText() throws -> String {
        let quote = byte()
        let start = position
        position += 1
        var content: [UInt8] = []
        while position < bytes.count, byte() != quote {
            if byte() == UInt8(ascii: "\\") {
                content += String(try escapedScalar()).utf8
            } else if byte() >= 0x80 {
                let (scalar, length) = scalar()
                guard scalar != PredicateFormat.placeholder else {
                    throw mistake("An interpolated value is written without quotes; leave them out.")
                }
                content += bytes[position..<position + length]
                position += length
            } else {
                content.append(byte())
                position += 1
            }
        }
        guard position < bytes.count else { throw mistake("The text has no closing quote.", at: start) }
        position += 1
        return String(decoding: content, as: UTF8.self)
    }

    /// Scans an escape sequence.
    private mutating func escapedScalar() throws -> Unicode.Scalar {
        let start = position
        let letter = byte(1)
        position += 2
        switch letter {
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): return Unicode.Scalar(letter)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedNumber(from: start)
        case UInt8(ascii: "*"), UInt8(ascii: "?"):
            throw mistake("In a pattern, two backslashes before * or ? make it mean itself; here is one.", at: start)
        default:
            throw mistake(
                "A backslash stands before a quote, a backslash, n, r, t or u; write two for one that means itself.",
                at: start)
        }
    }

    /// The digits of `\u00E9` or `\u{E9}`.
    private mutating func escapedNumber(from start: Int) throws -> Unicode.Scalar {
        let isEnclosed = byte() == UInt8(ascii: "{")
        if isEnclosed { position += 1 }
        let first = position
        while position < bytes.count, position - first < (isEnclosed ? 8 : 4), byte().isHexDigit { position += 1 }
        let digits = String(decoding: bytes[first..<position], as: UTF8.self)
        let isWhole = isEnclosed ? byte() == UInt8(ascii: "}") : position - first == 4
        guard isWhole, let number = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(number) else {
            throw mistake(
                "A character by its number is \\u with four hexadecimal digits, or \\u{…}, and one that Unicode has.",
                at: start)
        }
        if isEnclosed { position += 1 }
        return scalar
    }

    /// Scans a number.
    mutating func number() throws -> FormatNumber {
        let start = position
        if byte() == UInt8(ascii: "-") { position += 1 }
        skipDigits()
        var isWhole = true
        if byte() == UInt8(ascii: "."), byte(1).isDigit {
            position += 1
            isWhole = false
            skipDigits()
        }
        if byte() | 0x20 == UInt8(ascii: "e") {
            let sign = byte(1) == UInt8(ascii: "-") || byte(1) == UInt8(ascii: "+") ? 2 : 1
            guard byte(sign).isDigit else { throw mistake("The number has an exponent without digits.", at: start) }
            position += sign
            isWhole = false
            skipDigits()
        }
        guard !byte().isWordByte, byte() != UInt8(ascii: ".") else {
            throw mistake("A number is digits with a fraction or an exponent; a text stands in quotes.", at: start)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return FormatNumber(text: text, value: .integer(integer)) }
        guard let real = Double(text), real.isFinite else {
            throw mistake("The number is larger than any that the engine has.", at: start)
        }
        return FormatNumber(text: text, value: .real(real))
    }

    private mutating func skipDigits() {
        while byte().isDigit { position += 1 }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
