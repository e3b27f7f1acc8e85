/// Reads what the library has stored: numbers, whose highest byte comes first, and byte strings.
package struct StoredReader {
    private var rest: ArraySlice<UInt8>
    private let failure: any Error

    /// The bytes are not what was stored.
    package struct Damaged: Error {
        package init() {}
    }

    /// - Parameter failure: The error for bytes that end too early.
    package init(_ bytes: ArraySlice<UInt8>, or failure: any Error = Damaged()) {
        (rest, self.failure) = (bytes, failure)
    }

    /// Reads what is stored as a magic, the content, and the digest of both.
    ///
    /// - Parameter failure: The error for bytes of another form, also when they end too early.
    package init(_ bytes: [UInt8], magic: [UInt8], or failure: any Error = Damaged()) throws {
        guard let content = Digests.content(of: bytes), content.starts(with: magic) else { throw failure }
        self.init(content.dropFirst(magic.count), or: failure)
    }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func bytes(_ count: Int) throws -> [UInt8] { Array(try take(count)) }

    /// The bytes that were not read.
    package mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    package mutating func byte() throws -> UInt8 { try number() }

    package mutating func number<Number: FixedWidthInteger>() throws -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, rest.count >= count else { throw failure }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension Digests {
    /// Content with its digest behind it.
    package static func stored(_ content: [UInt8]) -> [UInt8] { content + sha256(content) }

    /// The content of bytes that end with its digest; nil if the digest is another one.
    package static func content(of bytes: [UInt8]) -> [UInt8]? {
        let content = Array(bytes.dropLast(length))
        return sha256(content).elementsEqual(bytes.suffix(length)) ? content : nil
    }
}

extension FixedWidthInteger {
    /// Its bytes, the highest first.
    package var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
