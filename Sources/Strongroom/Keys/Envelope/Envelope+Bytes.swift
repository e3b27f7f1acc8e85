import Foundation

extension Envelope {
    private static let magic = Array("STRGKEYS".utf8)
    private static let version: UInt16 = 1
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
        Digests.stored(signedBytes + authentication)
    }

    /// The maximum length: 64 slots with the longest labels, with room for additions in a later version.
    static let maxBytes = 64 * 1024

    /// Parses a sidecar's content; checks only its checksum and form.
    ///
    /// - Throws: ``EnvelopeDefect`` with `damaged` or `newer`.
    init(bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { throw EnvelopeDefect.damaged("it is empty") }
        guard bytes.count <= Self.maxBytes else { throw EnvelopeDefect.damaged("it is too long") }
        guard bytes.starts(with: Self.magic) else { throw EnvelopeDefect.damaged("it does not begin as one does") }
        guard let content = Digests.content(of: bytes) else {
            throw EnvelopeDefect.damaged("its check sum does not fit its content")
        }
        var reader = StoredReader(
            content.dropFirst(Self.magic.count), or: EnvelopeDefect.damaged("it ends too early"))
        let version: UInt16 = try reader.number()
        guard version <= Self.version else { throw EnvelopeDefect.newer(version: Int(version)) }
        guard version == Self.version else { throw EnvelopeDefect.damaged("its version is \(version)") }
        try self.init(reading: &reader)
    }

    private init(reading reader: inout StoredReader) throws {
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
