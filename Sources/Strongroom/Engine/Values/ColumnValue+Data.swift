#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Data: ColumnValue {
    /// A column of bytes.
    @inlinable public static var storageClass: StorageClass { .blob }

    /// Reads bytes.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self.init(try row.blob(at: index))
    }

    /// The bytes.
    @inlinable public func stored() -> Value { .blob([UInt8](self)) }

    /// Binds the bytes.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try withUnsafeBytes { try bindings.bind(bytes: $0, at: index) }
    }
}
