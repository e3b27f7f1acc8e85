#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: TableKey {
    /// A new UUID, which becomes the key of a record with a `UUID?` key that is inserted with nil.
    public static func made() -> UUID? { UUID() }
}
