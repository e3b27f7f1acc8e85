/// A type that a primary key can have: `Int`, `Int64`, `String`, `UUID`, `[UInt8]`, or a struct of several columns.
///
/// A key of several columns reads and binds them one after the other, in the order in which the schema has them:
///
/// ```swift
/// struct Key: TableKey {
///     var order: Int64
///     var line: Int
///
///     static let columnCount = 2
///     init(from row: borrowing Row, at index: Int) throws {
///         order = try row[index]
///         line = try row[index + 1]
///     }
///     func bind(to bindings: borrowing Bindings, at index: Int) throws {
///         try bindings.set(order, at: index)
///         try bindings.set(line, at: index + 1)
///     }
/// }
/// ```
public protocol TableKey: Sendable, Hashable, KeyReference where Referred == Self {
    /// The number of columns.
    static var columnCount: Int { get }

    /// Reads the key.
    ///
    /// - Parameters:
    ///   - row: The row that the engine stands on.
    ///   - index: The key's first column, counted from 0.
    /// - Throws: ``StrongroomError`` with `typeMismatch` when what is stored does not fit.
    init(from row: borrowing Row, at index: Int) throws

    /// Binds the key.
    ///
    /// - Parameters:
    ///   - bindings: The statement's parameters.
    ///   - index: The parameter of the key's first column, counted from 0.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine has not.
    func bind(to bindings: borrowing Bindings, at index: Int) throws

    /// The key that the engine made for a new row, or nil when this type's keys are never made by the engine.
    ///
    /// - Parameter rowID: The row's id.
    static func generated(rowID: Int64) -> Self?

    /// A key that is like no other, for a new record that has none, or nil when this library makes no keys of this type.
    static func made() -> Self?
}

extension TableKey {
    /// One.
    @inlinable public static var columnCount: Int { 1 }

    /// Nil: the engine makes no keys of this type.
    @inlinable public static func generated(rowID: Int64) -> Self? { nil }

    /// Nil: the engine or the program gives keys of this type.
    @inlinable public static func made() -> Self? { nil }
}

extension TableKey where Self: FixedWidthInteger {
    /// The row's id.
    @inlinable public static func generated(rowID: Int64) -> Self? { Self(exactly: rowID) }
}

extension Int: TableKey {}
extension Int64: TableKey {}
extension String: TableKey {}
extension Array: KeyReference where Element == UInt8 {}
extension Array: TableKey where Element == UInt8 {}

extension TableKey {
    /// The key's values as the engine keeps them, so that keys can be told apart as it does.
    @usableFromInline
    func stored() throws -> [Value] {
        var values = [Value](repeating: .null, count: Self.columnCount)
        try withUnsafeMutablePointer(to: &values) { try bind(to: Bindings($0), at: 0) }
        return values.map(\.exact)
    }
}
