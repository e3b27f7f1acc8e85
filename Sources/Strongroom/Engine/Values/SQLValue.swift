import CSQLCipher

/// A stored value of any type.
///
/// ```swift
/// let size: SQLValue = 42
/// ```
public enum SQLValue: Sendable, Hashable {
    /// NULL.
    case null
    /// A signed integer of up to 64 bits.
    case integer(Int64)
    /// A 64-bit floating-point number; never NaN.
    case real(Double)
    /// Text, which may contain NUL.
    case text(String)
    /// Bytes; may be empty.
    case blob([UInt8])

    /// The storage class.
    public var storageClass: StorageClass {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}

extension SQLValue {
    /// The value with text as bytes: Swift treats texts as equal that differ only in Unicode composition, the engine
    /// does not.
    @usableFromInline var exact: SQLValue {
        if case .text(let text) = self { .blob(Array(text.utf8)) } else { self }
    }
}

/// The storage class of a value.
///
/// See SQLite's documentation, "Datatypes In SQLite", section 2 (sqlite.org/datatype3.html).
public enum StorageClass: String, Sendable, Hashable {
    /// NULL.
    case null = "NULL"
    /// A signed integer.
    case integer = "INTEGER"
    /// A floating-point number.
    case real = "REAL"
    /// Text.
    case text = "TEXT"
    /// Bytes.
    case blob = "BLOB"
}

// Not expressible by `nil`: comparing a `SQLValue?` with nil would then test for NULL.
extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
}

/// What a value holds, for values whose type only the query knows.
///
/// ```swift
/// let name = row["name"]?.string ?? ""
/// ```
extension SQLValue {
    /// Whether it is NULL.
    public var isNull: Bool { self == .null }

    /// The integer, or nil for a value of another class and for one that `Int` cannot represent.
    public var int: Int? {
        if case .integer(let number) = self { Int(exactly: number) } else { nil }
    }

    /// The floating-point number, or the nearest one to an integer; nil for a value of another class.
    public var double: Double? {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(number)
        case .null, .text, .blob: nil
        }
    }

    /// The text, or nil for a value of another class.
    public var string: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The bytes of a blob, or nil for a value of another class.
    public var bytes: [UInt8]? {
        if case .blob(let bytes) = self { bytes } else { nil }
    }

    /// True for 1 and false for 0, as a `Bool` is stored; nil for any other value.
    public var bool: Bool? {
        switch self {
        case .integer(1): true
        case .integer(0): false
        default: nil
        }
    }
}

extension SQLValue {
    /// The value as SQL text, for statements in which the engine does not accept parameters.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "(\(number))"
        case .real(let number): number.isInfinite ? (number < 0 ? "(-9e999)" : "(9e999)") : "(\(number))"
        case .text(let text) where text.utf8.contains(0): "(CAST(x'\(Self.hex(Array(text.utf8)))' AS TEXT))"
        case .text(let text): "'\(Identifier.doubling("'", in: text))'"
        case .blob(let bytes): "x'\(Self.hex(bytes))'"
        }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }
}

/// The values of a record, by column, independent of a statement.
struct ValueList {
    let names: [String]
    var values: [SQLValue]

    init(_ names: [String]) {
        self.names = names
        values = Array(repeating: .null, count: names.count)
    }

    /// The value of the column with a name, as the engine compares names; nil if there is no such column.
    subscript(_ name: String) -> SQLValue? {
        guard let index = names.firstIndex(where: { $0.isSameName(as: name) }) else { return nil }
        return values[index]
    }

    func storageClass(_ index: Int) -> Int32 {
        guard values.indices.contains(index) else { return SQLITE_NULL }
        return switch values[index] {
        case .null: SQLITE_NULL
        case .integer: SQLITE_INTEGER
        case .real: SQLITE_FLOAT
        case .text: SQLITE_TEXT
        case .blob: SQLITE_BLOB
        }
    }
}

extension SQLValue {
    package var asInteger: Int64? { if case .integer(let number) = self { number } else { nil } }

    package var asReal: Double? {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(exactly: number)
        default: nil
        }
    }

    package var asText: String? { if case .text(let text) = self { text } else { nil } }
}

extension ColumnValue {
    /// The value that a column of this type has where a value is stored.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` for what is no value of this type.
    package static func read(_ stored: SQLValue) throws -> Self {
        var list = ValueList(namesOfOne)
        list.values[0] = stored
        return try withUnsafePointer(to: list) { try Self(from: Row($0), at: 0) }
    }
}

private let namesOfOne = ["value"]
