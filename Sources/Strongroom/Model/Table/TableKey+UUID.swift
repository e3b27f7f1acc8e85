#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: TableKey {
    /// A new UUID: a record whose key is a `UUID?` gets one when it is inserted with nil.
    public static func made() -> UUID? { UUID() }
}
