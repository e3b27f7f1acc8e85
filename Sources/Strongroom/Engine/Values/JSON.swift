#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Any `Codable` value, stored as JSON text.
///
/// ```swift
/// let address = Column<JSON<Address>>("address")
/// ```
///
/// The keys are sorted, so that equal values have equal texts if the type's own coding is deterministic. A number that
/// JSON cannot represent, such as NaN, is rejected. SQL reads a part of the value with `json_extract`, if the engine
/// has that function.
public struct JSON<Content: Codable & Sendable>: Sendable {
    /// The value.
    public var value: Content

    /// Wraps a value.
    ///
    /// - Parameter value: The value.
    public init(_ value: Content) {
        self.value = value
    }
}

extension JSON: Equatable where Content: Equatable {}
extension JSON: Hashable where Content: Hashable {}

extension JSON: ColumnValue, CodedColumnValue {
    /// A column of class TEXT.
    public static var storageClass: StorageClass { .text }

    /// Reads and decodes a value; a decoding error does not contain the content.
    public init(from row: borrowing Row, at index: Int) throws {
        let text = try row.text(at: index)
        do {
            value = try JSONDecoder().decode(Content.self, from: Data(text.utf8))
        } catch {
            // The decoder's error may contain the content.
            throw row.mismatch(
                at: index, wanted: "JSON of \(Content.self)", reason: DecodingReason.text(error, form: "JSON"))
        }
    }

    /// The encoded value.
    public func stored() throws -> Value { .text(try text()) }

    /// Binds the encoded value.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(text(), at: index)
    }

    private func text() throws -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // The encoder's error may contain the content.
            throw StrongroomError(.valueNotStorable, "A \(Content.self) cannot be written as JSON; check its coding.")
        }
    }
}
