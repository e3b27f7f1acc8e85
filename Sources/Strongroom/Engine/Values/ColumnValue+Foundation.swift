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
    @inlinable public func stored() -> SQLValue { .blob([UInt8](self)) }

    /// Binds the bytes.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try withUnsafeBytes { try bindings.bind(bytes: $0, at: index) }
    }
}

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
    public func stored() throws -> SQLValue { .text(try storedText()) }

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

extension UUID: ColumnValue {
    /// A text column: 36 characters with hyphens, in upper case, so that other tools can search and sort it.
    @inlinable public static var storageClass: StorageClass { .text }

    /// Reads a UUID in upper case; throws for any other text. The engine compares case-sensitively, so that a text in
    /// lower case would be another value in every condition and key;
    /// ``Writing/convertSpellings(of:)`` rewrites such texts.
    public init(from row: borrowing Row, at index: Int) throws {
        let text: String
        do {
            text = try row.text(at: index)
        } catch let error as StrongroomError where error.code == .typeMismatch {
            throw row.mismatch(at: index, wanted: "a UUID", .uuid)
        }
        // Digits and A to F come before all lower-case letters.
        guard text.utf8.count == 36, text.utf8.allSatisfy({ $0 < UInt8(ascii: "a") }), let uuid = UUID(digits: text)
        else { throw row.mismatch(at: index, wanted: "a UUID in upper case", .uuid) }
        self = uuid
    }

    /// The UUID of 32 hexadecimal digits in either case, with its four hyphens or without; nil for any other text.
    ///
    /// Foundation's initialiser also accepts spaces and signs among the digits, and takes twice as long.
    fileprivate init?(digits text: String) {
        let hyphens = text.utf8.count == 36 ? 4 : 0
        guard text.utf8.count == 32 + hyphens else { return nil }
        var (number, found): (UInt128, Int) = (0, 0)
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case 0x30...0x39: number = number << 4 | UInt128(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: number = number << 4 | UInt128(byte & 0x0F + 9)
            case 0x2D where [8, 13, 18, 23].contains(index): found += 1
            default: return nil
            }
        }
        guard found == hyphens else { return nil }
        self.init(uuid: withUnsafeBytes(of: number.bigEndian) { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The text, in upper case.
    public func stored() -> SQLValue { .text(uuidString) }

    /// Binds the text, in upper case.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(uuidString, at: index)
    }
}

extension Spelling {
    /// The spelling of a type's values, also as raw values; nil for a type whose values have one anyway, or whose
    /// column names it.
    package static func of(_ type: any ColumnValue.Type) -> Spelling? {
        func raw<Wrapper: RawRepresentable>(_ wrapper: Wrapper.Type) -> Spelling? {
            (Wrapper.RawValue.self as? any ColumnValue.Type).flatMap { of($0) }
        }
        if type == UUID.self { return .uuid }
        return (type as? any RawRepresentable.Type).flatMap { raw($0) }
    }

    /// A UUID in upper case, from either case, with or without hyphens, or from its 16 bytes.
    static func uuid(_ stored: SQLValue) -> SQLValue? {
        switch stored {
        case .blob(let bytes) where bytes.count == 16: UUID(digits: SQLValue.hex(bytes)).map { .text($0.uuidString) }
        case .text(let text): UUID(digits: text).map { .text($0.uuidString) }
        default: nil
        }
    }
}
