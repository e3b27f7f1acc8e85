#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension URL: ColumnValue {
    /// A text column.
    @inlinable public static var storageClass: StorageClass { .text }

    /// Reads a URL; throws for text that is not a valid URL. Nothing is corrected.
    public init(from row: borrowing Row, at index: Int) throws {
        guard let url = URL(string: try row.text(at: index), encodingInvalidCharacters: false) else {
            throw row.mismatch(at: index, wanted: "a URL")
        }
        self = url
    }

    /// The text; a relative URL is stored as the absolute one.
    public func stored() throws -> Value { .text(try storedText()) }

    /// Binds the text.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(storedText(), at: index)
    }

    /// The text; throws if it cannot be parsed as a URL.
    private func storedText() throws -> String {
        let text = absoluteString
        guard URL(string: text, encodingInvalidCharacters: false) != nil else {
            throw StrongroomError(.valueNotStorable, "A URL whose text is no URL cannot be stored; store it as text.")
        }
        return text
    }
}
