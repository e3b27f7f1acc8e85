import Foundation
// Internal: nothing public opens an envelope before the opening of stores does.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("An envelope's bytes")
struct EnvelopeBytesTests {
    private static let keys = [Key.numbered(1), .passphrase("secret"), .numbered(2)]

    private let envelope: OpenEnvelope
    private var bytes: [UInt8] { envelope.bytes }

    init() throws {
        envelope = try OpenEnvelope.with(Self.keys[0], Self.keys[1], Self.keys[2])
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let read = try Envelope(bytes: bytes)
        #expect(read == envelope.sealed)
        #expect(read.bytes == bytes)
    }

    /// The numbers are those of the table in the documentation: a change of them is a new version.
    @Test func theFormIsTheDocumentedOne() throws {
        let beginning: [UInt8] = Array("STRGKEYS".utf8) + [0, 1] + [UInt8].salt
        #expect(bytes.starts(with: beginning))
        #expect(bytes[42] == 1)
        #expect(Array(bytes[43..<52]) == [0, 0, 0, 0, 0, 0, 0, 3, 3])
        let slot = Array(bytes[52...])
        #expect(Array(slot[0..<8]) == envelope.fingerprint(0).bytes)
        #expect(Array(slot[8..<16]) == [0, 0, 0, 0, 0x65, 0x53, 0xF1, 0x00])
        #expect(Array(slot[16..<21]) == [0, 1, 0, 0, 0])
        #expect(Array(slot[37..<43]) == [5] + "key 1".utf8)
        #expect(Array(slot[103 + 16..<103 + 21]) == [0, 2, 10, 8, 1])
        let slotSize = 50 + 5 + 32 + 16
        #expect(bytes.count == 52 + 3 * slotSize + 64)
    }

    /// What earlier versions wrote opens in all later ones: the derivations are pinned, too.
    @Test(arguments: try EnvelopeVector.all())
    func `each vector of the guide opens with each of its keys`(vector: EnvelopeVector) throws {
        let envelope = try Envelope(bytes: vector.envelope)
        #expect(envelope.bytes == vector.envelope)
        let external = try vector.externalKeys.map { secret, identifier in
            try KeyChain(.external(ImitatedProvider(identifier, secret: secret)))
        }
        let chains = vector.chains + external
        #expect(!chains.isEmpty && chains.count == envelope.slots.count { !$0.isUnknown })
        for chain in chains {
            let opened = try envelope.open(with: chain)
            #expect(opened.dataKeys == DataKeys(material: SecretBytes(Array(vector.dataKeys.joined()))))
            #expect(opened.keySlots.map(\.label) == vector.labels)
        }
    }

    @Test func `the guide has the bytes that the first version wrote`() throws {
        let digest = Digests.sha256(try #require(EnvelopeVector.all().first).envelope)
        #expect(digest.prefix(4) == [0x45, 0x13, 0x34, 0xE2])
    }

    /// Somebody who knows the format makes the check sum right; the keys are what stops them.
    @Test func everyByteThatIsChangedOnPurposeIsFoundOut() throws {
        let chain = try KeyChain(.numbered(2))
        for index in bytes.indices.dropLast(32) {
            for mask: UInt8 in [0x01, 0x20, 0x80] {
                let forged = bytes.flipped(index, by: mask).withCheckSum
                #expect(throws: EnvelopeDefect.self, "byte \(index)") { try Envelope(bytes: forged).open(with: chain) }
                #expect(throws: EnvelopeDefect.self, "byte \(index)") {
                    try Envelope(bytes: forged).open(with: envelope.dataKeys)
                }
            }
        }
    }

    @Test func slotsThatAreRemovedMovedOrBroughtBackAreFoundOut() throws {
        var changed = envelope
        try changed.revoke(changed.fingerprint(0))
        let slots = envelope.sealed.slots
        let forgeries: [[EnvelopeSlot]] = [
            [slots[1], slots[2]], [slots[2]], [slots[1], slots[0], slots[2]], [slots[2], slots[1], slots[0]],
        ]
        for forgery in forgeries {
            var forged = envelope.sealed
            forged.slots = forgery
            #expect(try isDamaged(expectDefect(forged.bytes, .numbered(2))))
        }
        var revived = changed.sealed
        revived.slots = slots
        #expect(try isDamaged(expectDefect(revived.bytes, .numbered(2))))
        #expect(try isDamaged(expectDefect(revived.bytes, .numbered(1))))
    }

    @Test func aSlotOfAnotherDatabasesEnvelopeIsFoundOut() throws {
        let other = try OpenEnvelope(
            databaseSalt: [UInt8](repeating: 9, count: 16), dataKeys: envelope.dataKeys, key: .numbered(1),
            label: "key 1",
            date: .fixed)
        let forged = Envelope(
            databaseSalt: .salt, dataKeyIdentifier: other.sealed.dataKeyIdentifier, dataKeyCount: 1, generation: 1,
            slots: other.sealed.slots, authentication: other.sealed.authentication)
        #expect(try isDamaged(expectDefect(forged.bytes, .numbered(1))))
    }

    @Test func everyTruncationIsFoundOut() throws {
        for length in 0..<bytes.count {
            #expect(throws: EnvelopeDefect.self, "\(length)") { try Envelope(bytes: Array(bytes.prefix(length))) }
            #expect(throws: EnvelopeDefect.self, "\(length)") {
                try Envelope(bytes: Array(bytes.prefix(length)).withCheckSum)
            }
        }
        for length in 1...40 {
            let longer = bytes.dropLast(32) + [UInt8](repeating: 0, count: length)
            #expect(throws: EnvelopeDefect.self) { try Envelope(bytes: (longer + bytes.suffix(32)).withCheckSum) }
        }
    }

    @Test func randomBytesAreNoEnvelope() throws {
        var generator = SeededGenerator(5)
        for length in Array(0...600) + [4_096, 65_535, 65_536, 65_537, 1_048_576] {
            var random = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(try isDamaged(expectDefect(random, .numbered(1))))
            // With a beginning that is right, and a check sum that fits.
            random = Array("STRGKEYS".utf8) + [0, 1] + random
            #expect(try isDamaged(expectDefect(random, .numbered(1))))
            #expect(try isDamaged(expectDefect((random + .salt + .salt).withCheckSum, .numbered(1))))
        }
    }

    @Test func aNewerVersionIsNamed() throws {
        var newer = bytes
        newer.replaceSubrange(8..<10, with: [0, 2])
        #expect(try expectDefect(newer.withCheckSum, .numbered(1)) == .newer(version: 2))
        let short = (Array("STRGKEYS".utf8) + [0x12, 0x34] + [UInt8](repeating: 0, count: 32)).withCheckSum
        #expect(try expectDefect(short, .numbered(1)) == .newer(version: 0x1234))
        newer.replaceSubrange(8..<10, with: [0, 0])
        #expect(try isDamaged(expectDefect(newer.withCheckSum, .numbered(1))))
    }

    /// A forged sidecar is not to take all memory, or hours.
    @Test func excessiveCostsAreRefusedBeforeAnythingIsDerived() throws {
        let place = 52 + 103 + 17
        #expect(bytes[place...].starts(with: [2, 10, 8, 1]))
        for cost: [UInt8] in [
            [2, 9, 8, 1], [2, 19, 8, 1], [2, 63, 8, 1], [2, 10, 9, 1], [2, 10, 8, 0], [2, 10, 8, 5],
        ] {
            var forged = bytes
            forged.replaceSubrange(place..<place + 4, with: cost)
            #expect(throws: EnvelopeDefect.self) { try Envelope(bytes: forged.withCheckSum) }
        }
        var many = envelope.sealed
        many.slots = try (0..<5).map { number in
            try OpenEnvelope(databaseSalt: .salt, key: .numbered(number), label: "", date: .fixed).sealed.slots[0]
        }
        #expect(throws: EnvelopeDefect.self) { try Envelope(bytes: many.bytes) }
    }

    private func isDamaged(_ defect: EnvelopeDefect) -> Bool {
        guard case .damaged = defect else { return false }
        return true
    }
}
