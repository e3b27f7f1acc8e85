#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Scans the keys of a text that is known to be valid JSON (RFC 8259), but for a comma after the last value of an
/// object or an array, which Foundation accepts.
struct JSONKeys {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The first duplicate key of an object, and whether the object is the outermost one; nil if there is none.
    mutating func firstTwice() throws -> (key: String, isOuter: Bool)? {
        // The keys of each open object; nil for an open array.
        var open: [Set<String>?] = []
        var text: Range<Int>?
        var isAfterComma = false
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "{"): open.append([])
            case UInt8(ascii: "["): open.append(nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard !isAfterComma else { throw Self.trailingComma }
                _ = open.popLast()
            case UInt8(ascii: "\""): text = parseString()
            case UInt8(ascii: ":"):
                // Only a key precedes a colon.
                guard let range = text, !open.isEmpty else { break }
                let key = try Self.key(bytes[range])
                guard open[open.count - 1]?.insert(key).inserted ?? true else {
                    return (key, open.count(where: { $0 != nil }) == 1)
                }
            default: break
            }
            if byte > UInt8(ascii: " ") { isAfterComma = byte == UInt8(ascii: ",") }
            position += 1
        }
        return nil
    }

    private static var trailingComma: StrongroomError {
        StrongroomError(
            .notARecord, "The text is not valid JSON: an object or an array ends with a comma; remove the comma.")
    }

    /// Advances to the closing quotation mark of a string.
    ///
    /// - Returns: The range of the string, including its quotation marks.
    private mutating func parseString() -> Range<Int> {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return start..<min(position + 1, bytes.count)
    }

    /// The characters of a key.
    private static func key(_ text: ArraySlice<UInt8>) throws -> String {
        let inner = text.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
        return try JSONDecoder().decode(String.self, from: Data(text))
    }
}
