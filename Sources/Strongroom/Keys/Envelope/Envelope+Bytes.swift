import Foundation

extension Envelope {
    private static let magic = Array("STRGKEYS".utf8)
    private static let version: UInt16 = 1
    private static let digestLength = Cryptography.digestLength
    private static let authenticationLength = 32
    /// The maximum number of combinations of salt and cost in a sidecar, so that a forged one cannot occupy the
    /// processor for long.
    static let maxDerivations = 4

    /// The bytes that every slot's tag covers besides the slot.
    var header: [UInt8] {
        Self.magic + Self.version.bigEndianBytes + databaseSalt + dataKeyIdentifier + [UInt8(dataKeyCount)]
    }

    /// The bytes that the authentication code covers.
    var signedBytes: [UInt8] {
        header + generation.bigEndianBytes + [UInt8(slots.count)] + slots.flatMap { $0.head + $0.sealed }
    }

    /// The sidecar's content.
    var bytes: [UInt8] {
        Self.withCheckSum(signedBytes + authentication)
    }

    static func withCheckSum(_ content: [UInt8]) -> [UInt8] { content + Cryptography.sha256(content) }

    /// The maximum length: 64 slots with the longest labels, with room for additions in a later version.
    static let maxBytes = 64 * 1024

    /// Parses a sidecar's content; checks only its checksum and form.
    ///
    /// - Throws: ``EnvelopeDefect`` with `damaged` or `newer`.
    init(bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { throw EnvelopeDefect.damaged("it is empty") }
        guard bytes.count <= Self.maxBytes else { throw EnvelopeDefect.damaged("it is too long") }
        guard bytes.starts(with: Self.magic) else { throw EnvelopeDefect.damaged("it does not begin as one does") }
        let content = bytes.dropLast(Self.digestLength)
        guard Cryptography.sha256(Array(content)).elementsEqual(bytes.suffix(Self.digestLength)) else {
            throw EnvelopeDefect.damaged("its check sum does not fit its content")
        }
        var reader = EnvelopeReader(content.dropFirst(Self.magic.count))
        let version: UInt16 = try reader.number()
        guard version <= Self.version else { throw EnvelopeDefect.newer(version: Int(version)) }
        guard version == Self.version else { throw EnvelopeDefect.damaged("its version is \(version)") }
        try self.init(reading: &reader)
    }

    private init(reading reader: inout EnvelopeReader) throws {
        databaseSalt = try reader.bytes(CipherSettings.saltLength)
        dataKeyIdentifier = try reader.bytes(DataKeys.identifierLength)
        let dataKeyCount = Int(try reader.byte())
        guard (1...2).contains(dataKeyCount) else { throw EnvelopeDefect.damaged("it has \(dataKeyCount) data keys") }
        self.dataKeyCount = dataKeyCount
        generation = try reader.number()
        let slotCount = Int(try reader.byte())
        guard (1...Self.maxSlots).contains(slotCount) else {
            throw EnvelopeDefect.damaged("it has \(slotCount) slots")
        }
        slots = try (0..<slotCount).map { _ in try EnvelopeSlot(reading: &reader, dataKeyCount: dataKeyCount) }
        authentication = try reader.bytes(Self.authenticationLength)
        guard reader.isAtEnd else { throw EnvelopeDefect.damaged("it has bytes too many") }
        guard Set(slots.map(\.fingerprint)).count == slots.count else {
            throw EnvelopeDefect.damaged("two of its slots are one key's")
        }
        guard Set(slots.map(\.derivation)).count <= Self.maxDerivations else {
            throw EnvelopeDefect.damaged("it has more than \(Self.maxDerivations) ways of derivation")
        }
    }
}

/// Reads a sidecar's content sequentially.
struct EnvelopeReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws -> [UInt8] {
        guard rest.count >= count else { throw EnvelopeDefect.damaged("it ends too early") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func byte() throws -> UInt8 { try number() }

    mutating func number<Number: FixedWidthInteger>() throws -> Number {
        try bytes(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
