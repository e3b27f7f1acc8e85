#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: ColumnValue {
    /// A floating-point column: the seconds since the start of 2001, UTC, which is what `Date` itself holds.
    ///
    /// Every date is restored exactly, also before 1970 and after 2038, and the engine sorts dates as Swift does; text
    /// with a fixed number of digits would lose precision. To display a date in SQL:
    ///
    /// ```sql
    /// SELECT datetime(createdAt + 978307200, 'unixepoch') FROM contact
    /// ```
    @inlinable public static var storageClass: StorageClass { .real }

    /// Reads the seconds since the start of 2001, UTC.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self.init(timeIntervalSinceReferenceDate: try row.real(at: index))
    }

    /// The seconds since the start of 2001, UTC; NaN is rejected, infinities are not.
    @inlinable public func stored() throws -> Value { try timeIntervalSinceReferenceDate.stored() }

    /// Binds the seconds since the start of 2001, UTC; NaN is rejected, infinities are not.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(timeIntervalSinceReferenceDate, at: index)
    }
}
