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
        _ value: Value, column: String, separator: UInt8 = UInt8(ascii: ","), to line: inout String
    ) throws {
        switch value {
        case .null: return
        case .integer(let number): line += String(number)
        case .real(let number):
            guard number.isFinite else { throw CommandFailure.notFinite(number, column) }
            line += String(number)
        case .text(let text): append(text, separator: separator, to: &line)
        case .blob(let bytes): append(Base64.text(bytes), separator: separator, to: &line)
        }
    }

    /// Appends a text as a field that is never NULL.
    package static func append(_ text: String, separator: UInt8 = UInt8(ascii: ","), to line: inout String) {
        let mustQuote =
            text.isEmpty
            // At the beginning of a file it would be read as a byte order mark.
            || text.unicodeScalars.first == "\u{FEFF}"
            || contains([separator, CSVReader.quote, CSVReader.lineFeed, CSVReader.carriageReturn], text)
        guard mustQuote else {
            line += text
            return
        }
        line += "\""
        // By scalars: to Swift, a quotation mark followed by a combining mark is another character.
        if contains([CSVReader.quote], text) {
            for scalar in text.unicodeScalars {
                line.unicodeScalars.append(scalar)
                if scalar == "\"" { line.unicodeScalars.append(scalar) }
            }
        } else {
            line += text
        }
        line += "\""
    }

    /// Whether a text contains one of some ASCII characters.
    private static func contains(_ characters: [UInt8], _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            return characters.contains { memchr(start, Int32($0), bytes.count) != nil }
        }
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
