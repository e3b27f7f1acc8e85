#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Any `Codable` value, stored as a binary property list.
///
/// ```swift
/// let settings = Column<PropertyList<Settings>>("settings")
/// ```
///
/// A property list is smaller and faster than ``JSON`` and preserves dates and bytes. It must contain an array or a
/// dictionary: a single number or text is rejected.
public struct PropertyList<Content: Codable & Sendable>: Sendable {
    /// The value.
    public var value: Content

    /// Wraps a value.
    ///
    /// - Parameter value: The value.
    public init(_ value: Content) {
        self.value = value
    }
}

extension PropertyList: Equatable where Content: Equatable {}
extension PropertyList: Hashable where Content: Hashable {}

extension PropertyList: ColumnValue, CodedColumnValue {
    /// A column of class BLOB.
    public static var storageClass: StorageClass { .blob }

    /// Reads and decodes a value; a decoding error does not contain the content.
    public init(from row: borrowing Row, at index: Int) throws {
        let bytes = try row.blob(at: index)
        do {
            value = try PropertyListDecoder().decode(Content.self, from: Data(bytes))
        } catch {
            // The decoder's error may contain the content.
            throw row.mismatch(
                at: index, wanted: "a property list of \(Content.self)",
                reason: DecodingReason.text(error, form: "property list"))
        }
    }

    /// The encoded value.
    public func stored() throws -> Value { .blob(try bytes()) }

    /// Binds the encoded value.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(bytes(), at: index)
    }

    private func bytes() throws -> [UInt8] {
        do {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return [UInt8](try encoder.encode(value))
        } catch {
            // The encoder's error may contain the content.
            throw StrongroomError(
                .valueNotStorable, "A \(Content.self) cannot be written as a property list; check its coding.")
        }
    }
}
