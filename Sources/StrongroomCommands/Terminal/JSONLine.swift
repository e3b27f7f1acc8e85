import Foundation

/// JSON for scripts: one value per line, sorted keys, the same bytes for the same value.
package enum JSONLine {
    private struct Report: Encodable {
        struct Failure: Encodable {
            var code: String
            var message: String
        }

        var error: Failure
    }

    /// The value as one line without the line end. Dates are in ISO 8601 format, data is in Base64.
    ///
    /// Terminal control characters in strings are escaped, as JSON allows.
    ///
    /// - Throws: `EncodingError` for a value that JSON cannot represent, such as a number that is not finite.
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The line that reports an error: `{"error":{"code":"…","message":"…"}}`.
    package static func error(code: String, message: String) -> String {
        // Two strings can always be encoded, and a caller that reports an error could not handle another one.
        let report = Report(error: Report.Failure(code: code, message: message))
        return (try? encode(report)) ?? #"{"error":{"code":"unknown","message":""}}"#
    }

    /// Such characters only occur inside strings, where `\u` and four digits are equivalent.
    private static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: TerminalText.isUnsafe) else { return json }
        return json.unicodeScalars.reduce(into: "") { result, scalar in
            guard TerminalText.isUnsafe(scalar) else { return result.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
