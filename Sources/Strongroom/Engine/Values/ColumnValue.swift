/// A Swift type that a column can store.
///
/// `Bool`, all integers, `Float`, `Double`, `String`, `[UInt8]`, ``Value``, optionals of these, and enums whose raw
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
    /// By default, NULL is looked for before the value is read; a type that finds out while it reads saves a look-up.
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
    func stored() throws -> Value

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
