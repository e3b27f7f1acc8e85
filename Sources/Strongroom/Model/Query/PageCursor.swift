#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The position between two pages of a query, as text that can be part of a URL and be returned by a client.
///
/// ```swift
/// let byName = Contact.order { $0.name.ascending }.limit(20)
/// var query = byName
/// if let text = request["after"] { query = byName.after(try PageCursor(text)) }
/// let page = try query.fetch(in: db)
/// let next = try page.last.map { try byName.cursor(after: $0).description }
/// ```
///
/// It contains the last row's values of the columns that the query is sorted by, including the primary key, so that the
/// row may be deleted before the next page is requested. It is bound to the table and the order, not to the conditions:
/// in a query with other conditions it denotes the same position. It is neither encrypted nor signed: a client can read
/// the values and create another cursor, which reveals no rows that the query does not match.
public struct PageCursor: Sendable, Hashable {
    struct Order {
        let table: String
        let terms: [String]

        /// A hash that is equal for equal orders in every process (FNV-1a, 64 bits).
        var fingerprint: UInt64 {
            ([table] + terms).joined(separator: "\0").utf8.reduce(0xCBF2_9CE4_8422_2325) {
                ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
            }
        }
    }

    private let fingerprint: UInt64
    private let values: [SQLValue]

    init(_ order: Order, _ values: [SQLValue]) {
        fingerprint = order.fingerprint
        self.values = values
    }

    /// Parses a cursor.
    ///
    /// - Parameter text: The ``description`` of a cursor.
    /// - Throws: ``StrongroomError`` with `pageCursor` for a text that is not a cursor, or a cursor of a newer version.
    public init(_ text: String) throws {
        guard let bytes = Self.bytes(of: text), let version = bytes.first else { throw Self.unreadable }
        guard version == Self.version else {
            throw StrongroomError(
                .pageCursor, "The cursor is of version \(version), this is 1; begin at the first page.")
        }
        var reader = Reader(rest: bytes.dropFirst())
        guard let fingerprint = reader.number(), let count = reader.rest.popFirst() else { throw Self.unreadable }
        var values: [SQLValue] = []
        while !reader.rest.isEmpty {
            guard let value = reader.value() else { throw Self.unreadable }
            values.append(value)
        }
        // A text that was truncated between two values.
        guard count == Self.count(of: values) else { throw Self.unreadable }
        self.fingerprint = fingerprint
        self.values = values
    }

    private static func count(of values: [SQLValue]) -> UInt8 { UInt8(truncatingIfNeeded: values.count) }

    /// The values, one for each term of an order; `pageCursor` if the cursor belongs to another one.
    func values(in order: Order) throws -> [SQLValue] {
        guard fingerprint == order.fingerprint, values.count == order.terms.count else {
            throw StrongroomError(
                .pageCursor,
                """
                The cursor belongs to another table or another order than this query of "\(order.table)"; begin at the \
                first page, or sort as the query that created it.
                """)
        }
        return values
    }

    private static let version: UInt8 = 1

    private static var unreadable: StrongroomError {
        StrongroomError(
            .pageCursor, "The text is no cursor of a page; give it back as it was, or begin at the first page.")
    }
}

extension PageCursor: CustomStringConvertible {
    /// The cursor as text: letters, digits, `-` and `_`, so that it needs no escaping in a URL.
    public var description: String {
        var bytes = [Self.version]
        bytes.append(fingerprint)
        bytes.append(Self.count(of: values))
        for value in values { bytes.append(value) }
        let base64 = Data(bytes).base64EncodedString()
        return base64.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined()
    }

    private static func bytes(of text: String) -> [UInt8]? {
        let isPlain = text.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber || character == "-" || character == "_")
        }
        guard isPlain else { return nil }
        let base64 = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined()
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64 + padding).map { [UInt8]($0) }
    }
}

extension PageCursor: Codable {
    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    fileprivate mutating func append(_ value: SQLValue) {
        let (kind, number, content): (Character, UInt64, [UInt8]) =
            switch value {
            case .null: ("n", 0, [])
            case .integer(let number): ("i", UInt64(bitPattern: number), [])
            case .real(let number): ("r", number.bitPattern, [])
            case .text(let text): ("t", UInt64(text.utf8.count), Array(text.utf8))
            case .blob(let bytes): ("b", UInt64(bytes.count), bytes)
            }
        self += String(kind).utf8
        append(number)
        self += content
    }
}

/// Decodes the bytes of a cursor, which are untrusted.
private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func number() -> UInt64? {
        bytes(8)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func bytes(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    mutating func value() -> SQLValue? {
        guard let kind = rest.popFirst(), let number = number() else { return nil }
        switch Character(UnicodeScalar(kind)) {
        case "n": return .null
        case "i": return .integer(Int64(bitPattern: number))
        case "r":
            let real = Double(bitPattern: number)
            return real.isNaN ? nil : .real(real)
        case "t":
            guard let bytes = bytes(number) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.utf8.elementsEqual(bytes) ? .text(text) : nil
        case "b": return bytes(number).map { .blob([UInt8]($0)) }
        default: return nil
        }
    }
}
