import Foundation
// Internal: data keys are compared, and an envelope is written by hand.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Stores with the slot of a public key")
struct PublicKeyStoreTests {
    private let vault: EnvelopeVault
    private let pair = KeyPair()

    init() throws { vault = try EnvelopeVault() }

    /// A vault with a row, whose envelope has the slot.
    private func prepare() async throws -> KeySlot {
        try await vault(1).keep("first")
        return try await vault(1).using { try await $0.addKey(pair.sealing, label: "offline") }
    }

    private func dataKeys(_ key: Key) throws -> DataKeys {
        try vault.sidecar.open(with: KeyChain(key), salt: vault.salt).dataKeys
    }

    @Test func `the private key opens the file, and changes nothing`() async throws {
        try await vault(1).keep("first")
        let file = try vault.file
        let slot = try await prepare()
        #expect(try vault.file != file)
        let copies = try vault.copies
        try await vault([pair.opening]).using { store in
            #expect(store.openReport.rotation == nil && store.openReport.rotationFailure == nil)
            #expect(try await store.lines() == ["first", "first"])
            #expect(try await store.keySlots().last == slot)
            try await store.exportPlaintext(to: vault.directory.path("plain/plain.sqlite"))
        }
        #expect(try vault.copies == copies)
        try await expectFailure(.wrongKey) { try await vault([KeyPair(2).opening]).open() }
    }

    @Test func `a new key gets a slot by the private key, whose own stays`() async throws {
        let slot = try await prepare()
        let report = try await vault([pair.opening, .numbered(2)]).using { $0.openReport }
        #expect(report.rotation?.method == .envelope)
        let slots = try await vault(2).using { try await $0.keySlots() }
        #expect(slots.count == 3 && slots[1] == slot)
        #expect(try dataKeys(pair.opening) == dataKeys(.numbered(2)))
    }

    @Test func `the data key is replaced without the private key, for a public key that is named`() async throws {
        let slot = try await prepare()
        let before = try dataKeys(.numbered(1))
        let envelopes = try vault.copies
        try await vault(1).using { store in
            let error = try await expectFailure(.keySlot) { try await store.rotate(.dataKey) }
            #expect(error.message.contains("offline, recovery key, public key"))
            #expect(try vault.copies == envelopes)
            try await store.rotate(.dataKey, keys: [pair.sealing])
            #expect(try await store.keySlots().last == slot)
        }
        let after = try dataKeys(.numbered(1))
        #expect(after != before && after.count == 1)
        #expect(try dataKeys(pair.opening) == after)
        #expect(try await vault([pair.opening]).lines() == ["first"])
        // Or with it in the chain.
        try await vault([pair.sealing, .numbered(1)]).using { store in
            #expect(store.openReport.rotation == nil)
            #expect(try await store.rotate().method == .unchanged)
            try await store.rotate(.dataKey)
            #expect(try await store.keySlots().last == slot)
        }
        #expect(try await vault([pair.opening]).lines() == ["first"])
        #expect(try dataKeys(pair.opening) != after)
        // The envelope from before opens nothing any more.
        try vault.put(envelopes[0], envelopes[1])
        try await expectFailure(.wrongKey) { try await vault([pair.opening]).open() }
    }

    @Test func `a rotation keeps the slot of a public key of the chain, whatever the slot is for`() async throws {
        try await vault(1).keep("first")
        try await vault([.numbered(1), pair.opening]).keep("second")
        let slots = try await vault([pair.opening]).using { store in
            _ = try await store.addKey(.numbered(2))
            return try await store.keySlots()
        }
        #expect(slots.count == 2 && !slots[0].isRecovery && slots[0].publicKey == pair.publicPEM)
        try await vault([pair.sealing, .numbered(2)]).using { store in
            let report = try await store.rotate()
            let kept = try await store.keySlots()
            #expect(report.method == .unchanged && kept == slots)
        }
        #expect(try await vault([pair.opening]).lines() == ["first", "second"])
        try expectFailure(.invalidKey, saying: "of one pair") { try KeyChain(pair.sealing, pair.opening) }
    }

    @Test func `a slot for recovery takes no other key's slot`() async throws {
        let slot = try await prepare()
        let copies = try vault.copies
        let chain = try vault([.numbered(1), pair.opening])
        try await chain.using { store in
            #expect(store.openReport.rotation == nil && store.openReport.rotationFailure == nil)
            let error = try await expectFailure(.keySlot) { try await store.rotate() }
            #expect(error.message.contains("a slot for recovery") && error.message.contains("\(slot.fingerprint)"))
            #expect(try vault.copies == copies)
            // As the error says.
            try await store.revokeKey(slot.fingerprint)
            _ = try await store.addKey(pair.opening)
            try await store.rotate()
            #expect(try await store.keySlots().map(\.isRecovery) == [false])
        }
        #expect(try await vault([pair.opening]).lines() == ["first"])
        try await expectFailure(.wrongKey) { try await vault(1).open() }
    }

    @Test func `a replacement that was interrupted is finished with the public key in the chain`() async throws {
        _ = try await prepare()
        var envelope = try vault.envelope(1)
        let both = envelope.dataKeys.withSuccessor()
        #expect(try envelope.rewrap(both, keys: [.numbered(1), pair.sealing]).isEmpty)
        try vault.sidecar.replace(envelope)
        #expect(try await vault([pair.opening]).lines() == ["first"])
        #expect(try dataKeys(pair.opening).count == 2)
        try await vault([pair.sealing, .numbered(1)]).keep("second")
        #expect(try vault.isOnDataKey(1))
        #expect(try dataKeys(pair.opening) == both.each[1])
        #expect(try await vault([pair.opening]).lines() == ["first", "second"])
    }

    @Test func `the private key restores a backup`() async throws {
        _ = try await prepare()
        let backup = vault.directory.path("backup.sqlite")
        try await vault(1).using { store in _ = try await store.backup(to: backup) }
        let other = try EnvelopeVault()
        try await Stores(other(2)).restore("vault.sqlite", from: backup, keys: KeyChain(pair.opening))
        #expect(try await other(2).lines() == ["first"])
    }

    @Test func `without an envelope a private key opens nothing`() async throws {
        try await vault.direct(.numbered(1)).keep("first")
        try await expectFailure(.invalidKey, saying: "only wraps") { try await vault.direct(pair.opening).open() }
        try await vault.direct(.numbered(1)).using { store in
            let backup = vault.directory.path("backup.sqlite")
            try await expectFailure(.invalidKey, saying: "encrypts no file") {
                try await store.backup(to: backup, key: pair.opening)
            }
        }
    }

    /// As the guides say: to seal, the public key is enough.
    @Test func `a database that another has written opens with the private key, and not with the chain`() async throws {
        _ = try await prepare()
        let other = try EnvelopeVault()
        try await other(9).keep("forged")
        try await other(9).using { store in _ = try await store.addKey(pair.sealing) }
        try other.file.write(to: URL(filePath: vault.sidecar.databasePath))
        let copies = try other.copies
        try vault.put(copies[0], copies[1])
        #expect(try await vault([pair.opening]).lines() == ["forged"])
        try await expectFailure(.wrongKey) { try await vault(1).open() }
    }
}
