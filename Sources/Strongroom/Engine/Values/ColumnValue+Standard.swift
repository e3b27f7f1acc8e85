extension ColumnValue where Self: FixedWidthInteger {
    /// An integer column.
    @inlinable public static var storageClass: StorageClass { .integer }

    /// Reads an integer; throws if it is out of range for this type.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try Self.narrowed(row.integer(at: index), from: row, at: index)
    }

    /// Reads an integer, or NULL as nil; throws if it is out of range for this type.
    @inlinable public static func _ifPresent(in row: borrowing Row, at index: Int) throws -> Self? {
        guard let wide = try row.integerIfPresent(at: index) else { return nil }
        return try narrowed(wide, from: row, at: index)
    }

    @inlinable static func narrowed(_ wide: Int64, from row: borrowing Row, at index: Int) throws -> Self {
        guard let narrow = Self(exactly: wide) else { throw row.mismatch(at: index, wanted: "\(Self.self)") }
        return narrow
    }

    /// The integer; throws above `Int64.max`.
    @inlinable public func stored() throws -> Value {
        .integer(try Int64.storable(self))
    }

    /// Binds the integer; throws above `Int64.max`.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(Int64.storable(self), at: index)
    }
}

extension Int64 {
    /// The integer as the engine stores it; throws if it exceeds `Int64.max`.
    @inlinable static func storable(_ value: some FixedWidthInteger) throws -> Int64 {
        guard let wide = Int64(exactly: value) else {
            throw StrongroomError(
                .valueNotStorable,
                "An integer above \(Int64.max) cannot be stored; store it as text or as bytes."
            )
        }
        return wide
    }
}

extension Int: ColumnValue {}
extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt64: ColumnValue {}

extension Bool: ColumnValue {
    /// An integer column that holds 0 or 1.
    @inlinable public static var storageClass: StorageClass { .integer }

    /// Reads 0 or 1; throws for any other value.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        switch try row.integer(at: index) {
        case 0: self = false
        case 1: self = true
        default: throw row.mismatch(at: index, wanted: "Bool (0 or 1)")
        }
    }

    /// 0 or 1.
    @inlinable public func stored() -> Value { .integer(self ? 1 : 0) }

    /// Binds 0 or 1.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(self ? 1 as Int64 : 0, at: index)
    }
}

extension Double: ColumnValue {
    /// A floating-point column; the engine stores negative zero as zero.
    @inlinable public static var storageClass: StorageClass { .real }

    /// Reads a number.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try row.real(at: index)
    }

    /// Reads a number, or NULL as nil.
    @inlinable public static func _ifPresent(in row: borrowing Row, at index: Int) throws -> Self? {
        try row.realIfPresent(at: index)
    }

    /// The number; throws for NaN, which the engine would store as NULL.
    public func stored() throws -> Value {
        guard !isNaN else { throw Bindings.notANumber }
        return .real(self)
    }

    /// Binds the number; throws for NaN.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(self, at: index)
    }
}

extension Float: ColumnValue {
    /// A floating-point column.
    @inlinable public static var storageClass: StorageClass { .real }

    /// Reads a number; throws if `Float` cannot represent it exactly.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        guard let narrow = Float(exactly: try row.real(at: index)) else {
            throw row.mismatch(at: index, wanted: "Float")
        }
        self = narrow
    }

    /// The number; throws for NaN.
    @inlinable public func stored() throws -> Value { try Double(self).stored() }

    /// Binds the number; throws for NaN.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(Double(self), at: index)
    }
}

extension String: ColumnValue {
    /// A text column.
    @inlinable public static var storageClass: StorageClass { .text }

    /// Reads text, including any NUL characters.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try row.text(at: index)
    }

    /// Reads text, including any NUL characters, or NULL as nil.
    @inlinable public static func _ifPresent(in row: borrowing Row, at index: Int) throws -> Self? {
        try row.textIfPresent(at: index)
    }

    /// The text.
    @inlinable public func stored() -> Value { .text(self) }

    /// Binds the text, including any NUL characters.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(self, at: index)
    }
}

extension Array: ColumnValue where Element == UInt8 {
    /// A column of bytes.
    @inlinable public static var storageClass: StorageClass { .blob }

    /// Reads bytes.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try row.blob(at: index)
    }

    /// Reads bytes, or NULL as nil.
    @inlinable public static func _ifPresent(in row: borrowing Row, at index: Int) throws -> Self? {
        try row.blobIfPresent(at: index)
    }

    /// The bytes.
    @inlinable public func stored() -> Value { .blob(self) }

    /// Binds the bytes.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(self, at: index)
    }
}
