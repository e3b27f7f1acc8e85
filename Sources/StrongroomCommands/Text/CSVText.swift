import Foundation
package import Strongroom

/// Values as CSV fields.
package enum CSVText {
    /// Appends a field.
    ///
    /// NULL is an empty field, an empty text is an empty field in quotation marks, bytes are in Base64. A text is
    /// quoted if necessary.
    ///
    /// - Throws: ``CommandFailure`` for a number that is not finite.
    package static func append(
        _ value: SQLValue, column: String, separator: UInt8 = UInt8(ascii: ","), to line: inout TextBytes
    ) throws {
        switch value {
        case .null: return
        case .integer(let number): line.append(number)
        case .real(let number): try line.append(number, column: column)
        case .text(let text): append(text, separator: separator, to: &line)
        case .blob(let bytes): append(Base64.text(bytes), separator: separator, to: &line)
        }
    }

    /// Appends a text as a field that is never NULL.
    package static func append(_ text: String, separator: UInt8 = UInt8(ascii: ","), to line: inout TextBytes) {
        var text = text
        text.withUTF8 { append(utf8: $0, separator: separator, to: &line) }
    }

    /// Appends a text as a field that is never NULL.
    ///
    /// - Parameter text: Valid UTF-8.
    static func append(utf8 text: UnsafeBufferPointer<UInt8>, separator: UInt8, to line: inout TextBytes) {
        guard mustQuote(text, separator) else { return line.append(utf8: text) }
        line.append(byte: CSVReader.quote)
        var rest = text[...]
        while let index = rest.firstIndex(of: CSVReader.quote) {
            line.append(utf8: UnsafeBufferPointer(rebasing: rest[...index]))
            line.append(byte: CSVReader.quote)
            rest = rest[(index + 1)...]
        }
        line.append(utf8: UnsafeBufferPointer(rebasing: rest))
        line.append(byte: CSVReader.quote)
    }

    /// In a file's first field, it would be read as a byte order mark.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func mustQuote(_ text: UnsafeBufferPointer<UInt8>, _ separator: UInt8) -> Bool {
        guard let first = text.first else { return true }
        if first == byteOrderMark[0], text.starts(with: byteOrderMark) { return true }
        // Without an early end, so that the compiler compares many bytes at a time.
        var isSpecial = false
        for byte in text {
            isSpecial =
                isSpecial || byte == separator || byte == CSVReader.quote || byte == CSVReader.lineFeed
                || byte == CSVReader.carriageReturn
        }
        return isSpecial
    }
}

extension CommandFailure {
    /// The error for a number that neither format can represent.
    static func notFinite(_ number: Double, _ column: String) -> CommandFailure {
        let name = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
        return CommandFailure(
            "notFinite",
            """
            The column "\(column)" contains \(name), which neither JSON nor CSV can represent. Omit the row, or select \
            CASE WHEN abs(column) > 1.8e308 THEN NULL ELSE column END instead.
            """, .dataError)
    }
}
