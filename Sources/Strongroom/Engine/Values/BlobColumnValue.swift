#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type whose values are stored as the bytes that they are, so that they can be read and written in parts: `Data`,
/// `[UInt8]`, and their optionals.
///
/// See <doc:LargeValues>.
public protocol BlobColumnValue: ColumnValue {}

extension Data: BlobColumnValue {}
extension Array: BlobColumnValue where Element == UInt8 {}
extension Optional: BlobColumnValue where Wrapped: BlobColumnValue {}
