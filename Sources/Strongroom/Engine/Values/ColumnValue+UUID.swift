#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: ColumnValue {
    /// A text column: 36 characters with hyphens, in upper case, so that other tools can search and sort it.
    @inlinable public static var storageClass: StorageClass { .text }

    /// Reads a UUID in upper or lower case; throws for other text.
    public init(from row: borrowing Row, at index: Int) throws {
        let text = try row.text(at: index)
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
            throw row.mismatch(at: index, wanted: "a UUID")
        }
        self = uuid
    }

    /// The text, in upper case. The engine compares case-sensitively: lower-case text that another program wrote is
    /// read, but not matched by a condition.
    public func stored() -> Value { .text(uuidString) }

    /// Binds the text, in upper case.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(uuidString, at: index)
    }
}
