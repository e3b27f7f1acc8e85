package import Strongroom

/// Values as JSON, exact in both directions: an integer has all of its 64 bits, a number with a fraction or an exponent
/// is a real, and bytes are an object, `{"base64":"AQID"}`.
package enum JSONText {
    /// Appends a value.
    ///
    /// - Throws: ``CommandFailure`` for a number that is not finite.
    package static func append(_ value: Value, column: String, to line: inout String) throws {
        switch value {
        case .null: line += "null"
        case .integer(let number): line += String(number)
        case .real(let number):
            guard number.isFinite else { throw CommandFailure.notFinite(number, column) }
            // Swift writes the shortest text that is parsed as the same number, always with a point or an exponent.
            line += String(number)
        case .text(let text): append(text, to: &line)
        case .blob(let bytes): line += "{\"base64\":\"\(Base64.text(bytes))\"}"
        }
    }

    /// Appends a string. Terminal control characters are escaped, as JSON allows.
    package static func append(_ text: String, to line: inout String) {
        line += "\""
        if text.utf8.allSatisfy(isPlain) {
            line += text
        } else {
            for scalar in text.unicodeScalars { append(scalar, to: &line) }
        }
        line += "\""
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func append(_ scalar: Unicode.Scalar, to line: inout String) {
        switch scalar {
        case "\"": line += "\\\""
        case "\\": line += "\\\\"
        case "\n": line += "\\n"
        case "\r": line += "\\r"
        case "\t": line += "\\t"
        case _ where TerminalText.isUnsafe(scalar):
            for unit in UTF16.encode(scalar) ?? .init() {
                let digits = String(unit, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        default: line.unicodeScalars.append(scalar)
        }
    }
}
