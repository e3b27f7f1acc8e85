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

    /// Decodes a number, true, false or null.
    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
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
        } else {
            self = .real(try single.decode(Double.self), nil)
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
        var parser = JSONParser(text)
        self = try parser.document()
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

/// Parses JSON (RFC 8259); Foundation decodes single numbers, and texts with escapes.
///
/// Its decoder takes a time for lists in lists that grows with the square of their depth, which is that of a text from
/// another program: seconds for a thousand characters.
private struct JSONParser {
    private let bytes: [UInt8]
    private let decoder = JSONDecoder()
    private var position = 0
    /// The number of open objects, and of all that is open.
    private var (objects, depth) = (0, 0)

    /// As many levels as Foundation decodes.
    private static let deepest = 512

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func document() throws -> JSONNode {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        let node = try value()
        skipSpace()
        guard position == bytes.count else { throw Self.invalid }
        return node
    }

    private mutating func value() throws -> JSONNode {
        skipSpace()
        guard position < bytes.count, depth < Self.deepest else { throw Self.invalid }
        depth += 1
        defer { depth -= 1 }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .list(try list())
        case UInt8(ascii: "\""): return .text(try string())
        default:
            let start = position
            while position < bytes.count, !Self.endsScalar(bytes[position]) { position += 1 }
            return try decoded(bytes[start..<position])
        }
    }

    private mutating func object() throws -> [String: JSONNode] {
        objects += 1
        defer { objects -= 1 }
        var object: [String: JSONNode] = [:]
        position += 1
        guard !take(UInt8(ascii: "}")) else { return object }
        repeat {
            skipSpace()
            guard position < bytes.count else { throw Self.invalid }
            guard bytes[position] == UInt8(ascii: "\"") else {
                throw mistake(before: UInt8(ascii: "}"), isFirst: object.isEmpty)
            }
            let key = try string()
            guard object[key] == nil else { throw twice(key) }
            guard take(UInt8(ascii: ":")) else { throw Self.invalid }
            object[key] = try value()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw Self.invalid }
        return object
    }

    private mutating func list() throws -> [JSONNode] {
        var list: [JSONNode] = []
        position += 1
        guard !take(UInt8(ascii: "]")) else { return list }
        repeat {
            skipSpace()
            guard position < bytes.count else { throw Self.invalid }
            guard bytes[position] != UInt8(ascii: "]") else {
                throw mistake(before: UInt8(ascii: "]"), isFirst: list.isEmpty)
            }
            list.append(try value())
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw Self.invalid }
        return list
    }

    private mutating func string() throws -> String {
        let start = position
        var isPlain = true
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            let isEscape = bytes[position] == UInt8(ascii: "\\")
            isPlain = isPlain && !isEscape && bytes[position] >= 0x20
            position += isEscape ? 2 : 1
        }
        guard position < bytes.count else { throw Self.invalid }
        position += 1
        guard isPlain else { return try decoded(bytes[start..<position]) }
        return String(decoding: bytes[start + 1..<position - 1], as: UTF8.self)
    }

    private func decoded<T: Decodable>(_ text: ArraySlice<UInt8>) throws -> T {
        do {
            return try decoder.decode(T.self, from: Data(text))
        } catch {
            // The decoder's error may contain the content.
            throw Self.invalid
        }
    }

    // MARK: Bytes

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    /// Skips a byte, and space before it, if it comes next.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    // MARK: Errors

    private static var invalid: StrongroomError {
        StrongroomError(.notARecord, "The text is not valid JSON; check that it is complete and in UTF-8.")
    }

    /// The error where a key or a value is missing.
    private func mistake(before end: UInt8, isFirst: Bool) -> StrongroomError {
        guard !isFirst, bytes[position] == end else { return Self.invalid }
        return StrongroomError(
            .notARecord, "The text is not valid JSON: an object or an array ends with a comma; remove the comma.")
    }

    private func twice(_ key: String) -> StrongroomError {
        // The keys of a nested object may be content.
        let what = objects == 1 ? "The key \"\(key)\"" : "A key below the first level"
        return StrongroomError(.notARecord, "\(what) is used twice in an object of the JSON; remove one of the two.")
    }
}
