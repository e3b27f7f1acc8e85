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
/// The keys are sorted, so that one value has one text where its own coding is in order; a number that JSON has not,
/// such as NaN, is refused. SQL reads a part of it with `json_extract`, where the engine has that function.
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

    /// Reads and decodes a value; what cannot be decoded is refused, and not quoted.
    public init(from row: borrowing Row, at index: Int) throws {
        let text = try row.text(at: index)
        do {
            value = try JSONDecoder().decode(Content.self, from: Data(text.utf8))
        } catch {
            // What the decoder reports can quote the content.
            throw row.mismatch(at: index, wanted: "JSON of \(Content.self)")
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
            // What the encoder reports can quote the content.
            throw StrongroomError(.valueNotStorable, "A \(Content.self) cannot be written as JSON; check its coding.")
        }
    }
}
