#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A Swift type that a column can store.
///
/// `Bool`, all integers, `Float`, `Double`, `String`, `[UInt8]`, ``SQLValue``, optionals of these, and enums whose raw
/// value is one of these conform. A custom enum only needs to declare the conformance:
///
/// ```swift
/// enum Priority: Int, ColumnValue { case low, high }
/// ```
public protocol ColumnValue: Sendable {
    /// The type without its optional: `Int` for `Int?`; for any other type, the type itself.
    associatedtype Unwrapped: ColumnValue = Self

    /// The storage class of the declared type of a column.
    static var storageClass: StorageClass { get }

    /// The declared type of a column; by default the name of its storage class.
    static var declaredType: String { get }

    /// Whether a column of this type may hold NULL.
    static var _isNullable: Bool { get }

    /// Reads the value of one column.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - index: The column, counted from 0.
    /// - Throws: ``StrongroomError`` with ``StrongroomError/Code-swift.struct/typeMismatch`` if the stored value does
    ///   not match this type.
    init(from row: borrowing Row, at index: Int) throws

    /// Reads the value of one column, or nil if it is NULL.
    ///
    /// By default, NULL is checked before the value is read; a type that detects it while it reads saves a lookup.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - index: The column, counted from 0.
    /// - Throws: As ``init(from:at:)``.
    static func _ifPresent(in row: borrowing Row, at index: Int) throws -> Self?

    /// The value as the engine stores it.
    ///
    /// - Throws: ``StrongroomError`` with ``StrongroomError/Code-swift.struct/valueNotStorable`` if the engine cannot
    ///   store the value.
    func stored() throws -> SQLValue

    /// Binds the value to a parameter of a statement.
    ///
    /// - Parameters:
    ///   - bindings: The statement's parameters.
    ///   - index: The parameter, counted from 0.
    /// - Throws: ``StrongroomError`` with ``StrongroomError/Code-swift.struct/valueNotStorable`` if the engine cannot
    ///   store the value.
    func bind(to bindings: borrowing Bindings, at index: Int) throws
}

extension ColumnValue {
    /// The name of the storage class.
    public static var declaredType: String { storageClass.rawValue }

    /// Nil for NULL; the column is looked up a second time for any other value.
    @inlinable public static func _ifPresent(in row: borrowing Row, at index: Int) throws -> Self? {
        try row.isNull(at: index) ? nil : Self(from: row, at: index)
    }

    /// False: only optionals can be NULL.
    @inlinable public static var _isNullable: Bool { false }

    /// Binds the result of ``stored()``.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(stored(), at: index)
    }
}

/// A type whose equal values can have different stored forms, so that the engine cannot compare them.
package protocol CodedColumnValue {}

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
    @inlinable public func stored() throws -> SQLValue {
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
    @inlinable public func stored() -> SQLValue { .integer(self ? 1 : 0) }

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
    public func stored() throws -> SQLValue {
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
    @inlinable public func stored() throws -> SQLValue { try Double(self).stored() }

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
    @inlinable public func stored() -> SQLValue { .text(self) }

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
    @inlinable public func stored() -> SQLValue { .blob(self) }

    /// Binds the bytes.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(self, at: index)
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    /// The wrapped type.
    public typealias Unwrapped = Wrapped

    /// The storage class of the wrapped type.
    @inlinable public static var storageClass: StorageClass { Wrapped.storageClass }

    /// The declared type of the wrapped type.
    public static var declaredType: String { Wrapped.declaredType }

    /// True.
    @inlinable public static var _isNullable: Bool { true }

    /// Reads NULL as nil.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try Wrapped._ifPresent(in: row, at: index)
    }

    /// The wrapped value, or NULL.
    @inlinable public func stored() throws -> SQLValue {
        try self?.stored() ?? .null
    }

    /// Binds the wrapped value, or NULL.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        if let self {
            try self.bind(to: bindings, at: index)
        } else {
            try bindings.bindNull(at: index)
        }
    }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    /// The storage class of the raw value.
    @inlinable public static var storageClass: StorageClass { RawValue.storageClass }

    /// The declared type of the raw value.
    public static var declaredType: String { RawValue.declaredType }

    /// Reads the raw value; throws if there is no case with it.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        guard let value = Self(rawValue: try RawValue(from: row, at: index)) else {
            throw row.mismatch(at: index, wanted: "\(Self.self)")
        }
        self = value
    }

    /// The raw value.
    @inlinable public func stored() throws -> SQLValue { try rawValue.stored() }

    /// Binds the raw value.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try rawValue.bind(to: bindings, at: index)
    }
}

extension SQLValue: ColumnValue {
    /// A column without a declared type.
    @inlinable public static var storageClass: StorageClass { .blob }

    /// True.
    @inlinable public static var _isNullable: Bool { true }

    /// Reads the stored value of any type.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self = try row.value(at: index)
    }

    /// The value itself; throws for NaN.
    public func stored() throws -> SQLValue {
        if case .real(let number) = self { return try number.stored() }
        return self
    }

    /// Binds the value.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(self, at: index)
    }
}

/// A type whose values are stored as the bytes that they are, so that they can be read and written in parts: `Data`,
/// `[UInt8]`, and their optionals.
///
/// See <doc:LargeValues>.
public protocol BlobColumnValue: ColumnValue {}

extension Data: BlobColumnValue {}
extension Array: BlobColumnValue where Element == UInt8 {}
extension Optional: BlobColumnValue where Wrapped: BlobColumnValue {}
