#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: ColumnValue {
    /// A floating-point column: the seconds since the start of 2001, UTC, which is what `Date` itself holds.
    ///
    /// Every date comes back exactly, before 1970 and beyond 2038 as well, and dates sort in the engine as they do in
    /// Swift; text with a fixed number of digits would lose some. To show one in SQL:
    ///
    /// ```sql
    /// SELECT datetime(createdAt + 978307200, 'unixepoch') FROM contact
    /// ```
    @inlinable public static var storageClass: StorageClass { .real }

    /// Reads the seconds since the start of 2001, UTC.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self.init(timeIntervalSinceReferenceDate: try row.real(at: index))
    }

    /// The seconds since the start of 2001, UTC; NaN is refused, the infinities are not.
    @inlinable public func stored() throws -> Value { try timeIntervalSinceReferenceDate.stored() }

    /// Binds the seconds since the start of 2001, UTC; NaN is refused, the infinities are not.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(timeIntervalSinceReferenceDate, at: index)
    }
}
