/// A type that a primary key can have.
public protocol TableKey: ColumnValue, Hashable {
    /// The key that the engine made for a new row, or nil when this type's keys are never made by the engine.
    ///
    /// - Parameter rowID: The row's id.
    static func generated(rowID: Int64) -> Self?
}

extension TableKey {
    /// Nil: keys of this type are given by the program.
    @inlinable public static func generated(rowID: Int64) -> Self? { nil }
}

extension TableKey where Self: FixedWidthInteger {
    /// The row's id.
    @inlinable public static func generated(rowID: Int64) -> Self? { Self(exactly: rowID) }
}

extension Int: TableKey {}
extension Int64: TableKey {}
extension String: TableKey {}
extension Array: TableKey where Element == UInt8 {}
