/// A stored value of any type.
///
/// ```swift
/// let size: Value = 42
/// ```
public enum Value: Sendable, Hashable {
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

extension Value {
    /// The value with text as bytes: Swift treats texts as equal that differ only in Unicode composition, the engine
    /// does not.
    @usableFromInline var exact: Value {
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

// Not expressible by `nil`: comparing a `Value?` with nil would then test for NULL.
extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
}
