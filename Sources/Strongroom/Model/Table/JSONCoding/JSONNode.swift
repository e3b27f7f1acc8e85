#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

enum JSONNode: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number; if it was decoded, with its digits as far as `Decimal` can represent them.
    case real(Double, Decimal?)
    case float(Float)
    case text(String)
    case list([JSONNode])
    case object([String: JSONNode])

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let object = try? single.decode([String: JSONNode].self) {
            self = .object(object)
        } else if let text = try? single.decode(String.self) {
            self = .text(text)
        } else if let bool = try? single.decode(Bool.self) {
            self = .bool(bool)
        } else if let decimal = try? single.decode(Decimal.self), let real = try? single.decode(Double.self) {
            // First: when decoding an integer, Foundation rounds other numbers, and traps on a number with more digits
            // than a decimal can have.
            if let integer = try? single.decode(Int64.self), Decimal(integer) == decimal {
                self = .integer(integer)
            } else {
                self = .real(real, decimal)
            }
        } else if let real = try? single.decode(Double.self) {
            self = .real(real, nil)
        } else {
            self = .list(try single.decode([JSONNode].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        switch self {
        case .null: try single.encodeNil()
        case .bool(let bool): try single.encode(bool)
        case .integer(let integer): try single.encode(integer)
        case .real(let real, let decimal):
            if let decimal, Double("\(decimal)") == real { try single.encode(decimal) } else { try single.encode(real) }
        case .float(let float): try single.encode(float)
        case .text(let text): try single.encode(text)
        case .list(let list): try single.encode(list)
        case .object(let object): try single.encode(object)
        }
    }
}

extension JSONNode {
    /// - Throws: ``StrongroomError`` with `notARecord` for invalid JSON, and for an object with a duplicate key, of
    ///   which Foundation would use one.
    init(text: String) throws {
        do {
            self = try JSONDecoder().decode(JSONNode.self, from: Data(text.utf8))
        } catch {
            // The decoder's error may contain the content.
            throw StrongroomError(.notARecord, "The text is not valid JSON; check that it is complete and in UTF-8.")
        }
        var keys = JSONKeys(text)
        if let twice = try keys.firstTwice() {
            // The keys of a nested object may be content.
            let key = twice.isOuter ? "The key \"\(twice.key)\"" : "A key below the first level"
            throw StrongroomError(
                .notARecord, "\(key) is used twice in an object of the JSON; remove one of the two.")
        }
    }

    func text() throws -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            throw StrongroomError(.valueNotStorable, "JSON has no infinite numbers; encode the record as a dictionary.")
        }
    }

    /// The kind of the value, for messages.
    var name: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "an integer"
        case .real, .float: "a number"
        case .text: "a string"
        case .list: "an array"
        case .object: "an object"
        }
    }
}

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

    private static func key(_ text: ArraySlice<UInt8>) throws -> String {
        let inner = text.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
        return try JSONDecoder().decode(String.self, from: Data(text))
    }
}
