import Strongroom

/// A scanner for JSON text (RFC 8259).
struct JSONScanner {
    typealias Fault = JSONObject.Fault

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next byte; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    var isAtEnd: Bool { position == bytes.count }

    mutating func passSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Consumes a character, and whitespace before it, if it is the next one.
    mutating func pass(_ character: Unicode.Scalar) -> Bool {
        passSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// The following letters, with an optional sign before them.
    mutating func word() -> String {
        let start = position
        while let byte = next, Unicode.Scalar(byte).properties.isAlphabetic { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// A number: an integer if it has neither a fraction nor an exponent, otherwise a real.
    mutating func number(_ name: String) throws(Fault) -> JSONObject.Member {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if let byte = next, Unicode.Scalar(byte).properties.isAlphabetic {
            throw Fault(reason: "\"\(name)\" is -\(word()), which is not valid JSON and cannot be stored")
        }
        let firstDigit = next
        let digits = passDigits()
        guard digits > 0, digits == 1 || firstDigit != UInt8(ascii: "0") else { throw noNumber(name) }
        var isInteger = true
        if next == UInt8(ascii: ".") {
            position += 1
            isInteger = false
            guard passDigits() > 0 else { throw noNumber(name) }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            isInteger = false
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            guard passDigits() > 0 else { throw noNumber(name) }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger {
            guard let number = Int64(text) else {
                throw Fault(reason: "\"\(name)\" is an integer of more than 64 bits")
            }
            return .value(.integer(number))
        }
        guard let number = Double(text), number.isFinite else {
            throw Fault(reason: "\"\(name)\" is a number too large to be stored")
        }
        return DecimalDigits(text) == DecimalDigits(String(number)) ? .value(.real(number)) : .rounded(number)
    }

    private func noNumber(_ name: String) -> Fault { Fault(reason: "\"\(name)\" is not a valid JSON number") }

    private mutating func passDigits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    /// A string in quotation marks.
    ///
    /// - Parameter wanted: The expected element, for an error.
    mutating func text(_ wanted: String) throws(Fault) -> String {
        guard pass("\"") else { throw Fault(reason: "\(wanted) is expected") }
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw Fault(reason: "a text is not in UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): content.append(contentsOf: try escaped())
            case 0..<0x20: throw Fault(reason: "a control character in a text is not escaped")
            default: content.append(byte)
            }
        }
        throw Fault(reason: "a text has no closing quotation mark")
    }

    private mutating func escaped() throws(Fault) -> [UInt8] {
        guard let byte = next else { throw Fault(reason: "a text ends after a backslash") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
        default: throw Fault(reason: "a backslash precedes a character that JSON does not escape")
        }
    }

    /// A character from its one or two code units.
    private mutating func scalar() throws(Fault) -> Character {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        let alone = Fault(reason: "half of a surrogate pair is missing")
        guard (0xD800...0xDBFF).contains(first), next == UInt8(ascii: "\\") else { throw alone }
        position += 1
        guard next == UInt8(ascii: "u") else { throw alone }
        position += 1
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second) else { throw alone }
        let number = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(number) else { throw alone }
        return Character(scalar)
    }

    private mutating func hexadecimal() throws(Fault) -> UInt16 {
        let digits = bytes[position...].prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let number = UInt16(text, radix: 16)
        else { throw Fault(reason: "\\u is not followed by four hexadecimal digits") }
        position += 4
        return number
    }
}
