import Foundation
// Internal: slots of kinds that there are not yet are planted in the bytes.
@testable import Strongroom
import StrongroomTesting
import Testing

extension [UInt8] {
    /// A slot of a kind that this version does not know, as a newer one writes it.
    static func unknownSlot(
        kind: UInt8 = 9, number: UInt8 = 0xE0, dataKeys: Int = 1, further: Int = 0, label: String = "key service"
    ) -> [UInt8] {
        let head = [UInt8](repeating: number, count: 8) + Int64(1_700_000_000).bigEndianBytes + [0, kind, 0xAB]
        let content = (0..<28 + 32 * dataKeys + further).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ number }
        return head + UInt16(further).bigEndianBytes + [UInt8](repeating: number, count: 16)
            + [UInt8(label.utf8.count)] + label.utf8 + content
    }
}

extension OpenEnvelope {
    /// The same with further slots behind the others, written with the same data keys.
    func with(_ slots: [UInt8]...) throws -> OpenEnvelope {
        var content = bytes.dropLast(64) + slots.joined()
        content[50] += 1
        content[51] += UInt8(slots.count)
        let signed = try Array(content) + dataKeys.authentication(of: Array(content))
        return try Envelope(bytes: Digests.stored(signed)).open(with: dataKeys)
    }

    /// Whether a slot is among its bytes as it was planted.
    func contains(_ slot: [UInt8]) -> Bool { Data(bytes).range(of: Data(slot)) != nil }
}

@Suite("Slots of unknown kinds")
struct UnknownSlotTests {
    private static let slot = [UInt8].unknownSlot(further: 40)

    private let envelope: OpenEnvelope

    init() throws { envelope = try OpenEnvelope.with(.numbered(1), .passphrase("a")).with(Self.slot) }

    // MARK: The bytes

    @Test(arguments: [5, 9, 255] as [UInt8], [0, 1, 40, 1_568])
    func `one is read, listed and written again as it was`(kind: UInt8, further: Int) throws {
        let slot = [UInt8].unknownSlot(kind: kind, further: further)
        let envelope = try OpenEnvelope.with(.numbered(1)).with(slot, .unknownSlot(kind: kind, number: 1))
        let opened = try openEnvelope(envelope.bytes, .numbered(1))
        #expect(opened.keySlots.map(\.isUnknown) == [false, true, true])
        #expect(opened.keySlots[1].label == "key service" && opened.keySlots[1].created == .fixed)
        #expect(opened.bytes == envelope.bytes && opened.contains(slot))
    }

    @Test func `every byte of one is authenticated`() throws {
        let start = envelope.bytes.count - 64 - Self.slot.count
        for index in start..<start + Self.slot.count {
            let forged = envelope.bytes.flipped(index).withCheckSum
            #expect(throws: EnvelopeDefect.self, "byte \(index - start)") { try openEnvelope(forged, .numbered(1)) }
        }
    }

    @Test func `one that is longer than the file, or of kind 0, is damage`() throws {
        var slot = [UInt8].unknownSlot(further: 40)
        slot[20] = 41
        #expect(throws: EnvelopeDefect.self) { try OpenEnvelope.with(.numbered(1)).with(slot) }
        slot = .unknownSlot(kind: 0)
        #expect(throws: EnvelopeDefect.self) { try OpenEnvelope.with(.numbered(1)).with(slot) }
        #expect(throws: EnvelopeDefect.self) { try OpenEnvelope.with(.numbered(1)).with(Self.slot, Self.slot) }
    }

    @Test func `their derivations cost nothing, so they may differ`() throws {
        var envelope = envelope
        for number in UInt8(1)...6 { envelope = try envelope.with(.unknownSlot(number: number)) }
        #expect(try openEnvelope(envelope.bytes, .passphrase("a")).keySlots.count == 9)
        // A further salt is still possible.
        try envelope.add(
            .passphrase("b"), label: "", date: .fixed, cost: ScryptCost(roundsLogarithm: 11, parallelism: 1))
        let opened = try openEnvelope(envelope.bytes, .passphrase("b"))
        #expect(opened.keySlots.count == 10 && opened.sealed.derivations.count == 3)
    }

    // MARK: Changes of the envelope

    @Test func `every change of the other slots keeps one byte by byte`() throws {
        var changed = envelope
        try changed.add(.numbered(2), label: "added", date: .fixed)
        #expect(changed.contains(Self.slot))
        _ = try changed.label(changed.fingerprint(0), "named", keys: [.numbered(1)])
        #expect(changed.contains(Self.slot))
        try changed.replace(changed.fingerprint(0), with: .numbered(3), label: "", date: .fixed)
        #expect(changed.contains(Self.slot))
        try changed.revoke(changed.fingerprint(0))
        #expect(changed.contains(Self.slot))
        let read = try openEnvelope(changed.bytes, .numbered(3))
        #expect(read.keySlots.map(\.label) == ["key service", "added", ""])
    }

    @Test func `one is removed by name, and cannot be labelled`() throws {
        var changed = envelope
        let fingerprint = changed.fingerprint(2)
        try expectFailure(.keySlot, saying: "newer version") {
            try changed.label(fingerprint, "mine", keys: [.numbered(1), .passphrase("a")])
        }
        #expect(changed.bytes == envelope.bytes)
        try changed.revoke(fingerprint)
        #expect(try openEnvelope(changed.bytes, .numbered(1)).keySlots.map(\.isUnknown) == [false, false])
    }

    @Test func `one does not count as the key of a chain that is left`() throws {
        var changed = envelope
        try changed.revoke(changed.fingerprint(1))
        try expectFailure(.keySlot, saying: "is the last") { try changed.revoke(changed.fingerprint(0)) }
        #expect(try openEnvelope(changed.bytes, .numbered(1)).keySlots.count == 2)
    }

    @Test func `an envelope that would be too long to be read is not written`() throws {
        let room = Envelope.maxBytes - envelope.bytes.count - [UInt8].unknownSlot().count
        var changed = try envelope.with(.unknownSlot(number: 1, further: room))
        #expect(changed.bytes.count == Envelope.maxBytes)
        let before = changed.bytes
        try expectFailure(.keySlot, saying: "64 KiB") { try changed.add(.numbered(2), label: "", date: .fixed) }
        #expect(changed.bytes == before)
        try changed.revoke(changed.fingerprint(2))
        try changed.add(.numbered(2), label: "", date: .fixed)
        #expect(try openEnvelope(changed.bytes, .numbered(2)).keySlots.count == 4)
    }

    // MARK: Stores

    /// A vault whose envelope has such a slot in both copies.
    private func vault(dataKeys: Int = 1) async throws -> EnvelopeVault {
        let vault = try EnvelopeVault()
        try await vault(1).keep("first")
        if dataKeys == 2 { try vault.addDataKey(1) }
        let bytes = try vault.envelope(1).with(.unknownSlot(dataKeys: dataKeys, further: 40)).bytes
        try vault.put(bytes, bytes)
        return vault
    }

    @Test func `a store reports one, and keeps it in its file and its backups`() async throws {
        let vault = try await vault()
        let backup = vault.directory.path("backup.sqlite")
        try await vault(1, 2).using { store in
            #expect(store.openReport.rotation?.method == .envelope)
            #expect(store.openReport.unknownKeySlots.map(\.label) == ["key service"])
            #expect("\(store.openReport)".contains("1 key slot of an unknown kind"))
            try await store.addKey(.numbered(3), label: "third")
            #expect(try await store.keySlots().map(\.isUnknown) == [true, false, false])
            _ = try await store.backup(to: backup)
        }
        #expect(try vault.envelope(2).contains(Self.slot) && vault.envelope(3).contains(Self.slot))
        #expect(try Data(contentsOf: URL(filePath: "\(backup).keys")).range(of: Data(Self.slot)) != nil)
        let restored = try EnvelopeVault()
        try await Stores(restored(3)).restore("vault.sqlite", from: backup)
        #expect(try restored.envelope(3).contains(Self.slot))
    }

    @Test func `a new data key is refused until one is revoked`() async throws {
        let vault = try await vault()
        let before = (try vault.copies, try vault.file)
        try await vault(1).using { store in
            let error = try await expectFailure(.keySlot) { try await store.rotate(.dataKey) }
            #expect(error.message.contains("key service, of a kind that only a newer version can use"))
            #expect(error.message.contains("revoke"))
        }
        #expect(try vault.copies == before.0)
        #expect(try vault.file == before.1)
        try await vault(1).using { store in
            try await store.revokeKey(#require(store.openReport.unknownKeySlots.first).fingerprint)
            #expect(try await store.rotate(.dataKey).method == .copy)
        }
        #expect(try await vault(1).lines() == ["first"])
        #expect(try vault.isOnDataKey(1))
    }

    @Test func `a replacement of the data key that a newer version has begun is left for it`() async throws {
        let vault = try await vault(dataKeys: 2)
        try await vault(1).keep("second")
        let method = try await vault(1).using { store in try await store.rotate().method }
        #expect(method == .unchanged)
        let envelope = try vault.envelope(1)
        #expect(envelope.dataKeys.count == 2)
        #expect(envelope.contains(.unknownSlot(dataKeys: 2, further: 40)))
        #expect(try await vault(1).lines() == ["first", "second"])
    }

    @Test func `a key that may be that of an unknown slot is refused with what to do`() async throws {
        let vault = try await vault()
        try await expectFailure(.wrongKey, saying: "newer version") { try await vault(8).open() }
        try vault.put(vault.makeEnvelopeWithoutUnknown(), nil)
        let error = try await expectFailure(.wrongKey) { try await vault(8).open() }
        #expect(!error.message.contains("newer version"))
    }
}

extension EnvelopeVault {
    /// The bytes of the envelope of key 1 without the slots of unknown kinds.
    fileprivate func makeEnvelopeWithoutUnknown() throws -> [UInt8] {
        var envelope = try envelope(1)
        for slot in envelope.keySlots where slot.isUnknown { try envelope.revoke(slot.fingerprint) }
        return envelope.bytes
    }
}
