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
                at: index, wanted: "JSON of \(Content.self)", reason: DecodingReason.text(error))
        }
    }

    /// The encoded value.
    public func stored() throws -> SQLValue { .text(try text()) }

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

/// Why a value could not be decoded, without the value: the decoder's own description may contain it.
enum DecodingReason {
    /// Names the part that does not match by its declared names.
    static func text(_ error: any Error) -> String? {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .valueNotFound(let type, let context): "\(path(context.codingPath)) is null, not \(name(type))"
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) is not \(name(type))"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "it is no JSON, or no value of the type" : "\(path(context.codingPath)) is no value of its type"
        default: nil
        }
    }

    /// Only names that the program declares, as cases of an enumeration: the keys of a dictionary are values.
    private static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "the value" }
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                let isDeclared = Mirror(reflecting: key).displayStyle == .enum
                path += (path.isEmpty ? "" : ".") + (isDeclared ? key.stringValue : "…")
            }
        }
        return "\"\(path)\""
    }

    /// The decoder names objects and lists by types of its own.
    private static func name(_ type: any Any.Type) -> String {
        let name = "\(type)"
        return name.hasPrefix("Dictionary<") ? "an object" : name.hasPrefix("Array<") ? "a list" : name
    }
}
