/// What a value holds, for values whose type only the query knows.
///
/// ```swift
/// let name = row["name"]?.string ?? ""
/// ```
extension Value {
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
