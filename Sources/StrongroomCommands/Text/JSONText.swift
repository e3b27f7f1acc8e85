package import Strongroom

/// Values as JSON, exact in both directions: an integer has all of its 64 bits, a number with a fraction or an exponent
/// is a real, and bytes are an object, `{"base64":"AQID"}`.
package enum JSONText {
    /// Appends a value.
    ///
    /// - Throws: ``CommandFailure`` for a number that is not finite.
    package static func append(_ value: SQLValue, column: String, to line: inout TextBytes) throws {
        switch value {
        case .null: line.append("null")
        case .integer(let number): line.append(number)
        case .real(let number): try line.append(number, column: column)
        case .text(let text): append(text, to: &line)
        case .blob(let bytes): line.append("{\"base64\":\"\(Base64.text(bytes))\"}")
        }
    }

    /// Appends a string. Terminal control characters are escaped, as JSON allows.
    package static func append(_ text: String, to line: inout TextBytes) {
        var text = text
        if text.withUTF8({ append(plain: $0, to: &line) }) { return }
        line.append(byte: UInt8(ascii: "\""))
        for scalar in text.unicodeScalars { append(scalar, to: &line) }
        line.append(byte: UInt8(ascii: "\""))
    }

    /// Appends a string if it is plain ASCII.
    ///
    /// - Returns: False if it is not; nothing is appended then.
    static func append(plain text: UnsafeBufferPointer<UInt8>, to line: inout TextBytes) -> Bool {
        guard isPlain(text) else { return false }
        line.append(byte: UInt8(ascii: "\""))
        line.append(utf8: text)
        line.append(byte: UInt8(ascii: "\""))
        return true
    }

    /// Whether no character is escaped, and all are ASCII.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Without an early end, so that the compiler compares many bytes at a time.
        var isPlain = true
        for byte in text {
            isPlain =
                isPlain && byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return isPlain
    }

    private static func append(_ scalar: Unicode.Scalar, to line: inout TextBytes) {
        switch scalar {
        case "\"": line.append("\\\"")
        case "\\": line.append("\\\\")
        case "\n": line.append("\\n")
        case "\r": line.append("\\r")
        case "\t": line.append("\\t")
        case _ where TerminalText.isUnsafe(scalar):
            for unit in UTF16.encode(scalar) ?? .init() {
                let digits = String(unit, radix: 16)
                line.append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            }
        default: line.append(scalar)
        }
    }
}
