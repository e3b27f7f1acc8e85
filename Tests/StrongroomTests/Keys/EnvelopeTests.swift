import Foundation
// Internal: nothing public opens an envelope before the opening of stores does.
@testable import Strongroom
import StrongroomTesting
import Synchronization
import Testing

@Suite("Envelopes")
struct EnvelopeTests {
    private static let old = Key.numbered(1)
    private static let new = Key.numbered(2)

    @Test(arguments: [Key.passphrase("secret"), .numbered(1), .raw([UInt8](repeating: 1, count: 32), salt: .salt)])
    func anEnvelopeOpensWithItsKeyAndNoOther(key: Key) throws {
        let made = try OpenEnvelope.with(key)
        let opened = try openEnvelope(made.bytes, key)
        #expect(opened.dataKeys == made.dataKeys)
        #expect(opened.position == 0)
        #expect(opened.usedSlot == made.fingerprint(0))
        #expect(opened.sealed == made.sealed)
        #expect(try expectDefect(made.bytes, .passphrase("Secret"), .numbered(9)) == .noKeyFits)
    }

    /// The bytes of a raw key as a passphrase, and the other way round, are other keys.
    @Test func aPassphraseOfARawKeysBytesIsAnotherKey() throws {
        let bytes = [UInt8](repeating: 0x61, count: 32)
        let text = String(repeating: "a", count: 32)
        let envelope = try OpenEnvelope.with(.raw(bytes), .passphrase("other"))
        #expect(try expectDefect(envelope.bytes, .passphrase(text)) == .noKeyFits)
        let other = try OpenEnvelope.with(.passphrase(text), .numbered(1))
        #expect(try expectDefect(other.bytes, .raw(bytes)) == .noKeyFits)
    }

    @Test(arguments: [("é", "e\u{301}"), ("пароль", "пар"), ("secret\0a", "secret\0b"), ("a", "A"), (" a", "a")])
    func passphrasesThatDifferInAnyByteAreDifferentKeys(right: String, wrong: String) throws {
        let envelope = try OpenEnvelope.with(.passphrase(right))
        #expect(try expectDefect(envelope.bytes, .passphrase(wrong)) == .noKeyFits)
        #expect(try openEnvelope(envelope.bytes, .passphrase(wrong), .passphrase(right)).position == 1)
        var both = envelope
        try both.add(.passphrase(wrong), label: "", date: .fixed, cost: .least)
        #expect(both.fingerprint(0) != both.fingerprint(1))
    }

    /// In a process of its own, where no other test derives keys.
    @Test func theCurrentKeyCostsOneDerivationAndTheOldestOneForEachKey() async throws {
        await #expect(processExitsWith: .success) {
            let keys = (0..<10).map { Key.passphrase("key \($0)") }
            let chain = try KeyChain(keys)
            func derivations(_ envelope: OpenEnvelope) throws -> Int {
                let before = DerivedKey.derivations.load(ordering: .relaxed)
                let opened = try Envelope(bytes: envelope.bytes).open(with: chain)
                #expect(opened.dataKeys == envelope.dataKeys)
                return DerivedKey.derivations.load(ordering: .relaxed) - before
            }
            // As an envelope is that was made with the first key and has gone through all rotations, with a recovery
            // key.
            var envelope = try OpenEnvelope.with(keys[0])
            _ = try envelope.addRecoveryKey(label: "", date: .fixed).key
            #expect(try derivations(envelope) == 10)
            for (index, key) in keys.enumerated().dropFirst() {
                try envelope.replace(
                    envelope.fingerprint(index == 1 ? 0 : 1), with: key, label: "", date: .fixed, cost: .least)
                #expect(try derivations(envelope) == 10 - index)
            }
            #expect(try derivations(OpenEnvelope.with(keys[0], keys[9], .numbered(1), keys[5])) == 1)
            #expect(try derivations(OpenEnvelope.with(.numbered(3), keys[0])) == 10)
        }
    }

    @Test func aSlotThatIsAddedOpensAndIsListed() throws {
        var envelope = try OpenEnvelope.with(Self.old)
        let slot = try envelope.add(Self.new, label: "naïve 🔑", date: .fixed.addingTimeInterval(60.7))
        let opened = try openEnvelope(envelope.bytes, Self.new)
        #expect(opened.dataKeys == envelope.dataKeys)
        #expect(opened.keySlots == envelope.keySlots)
        #expect(opened.keySlots.map(\.label) == ["key 1", "naïve 🔑"])
        #expect(opened.keySlots.map(\.created) == [.fixed, .fixed.addingTimeInterval(60)])
        #expect(opened.keySlots[1] == slot)
        #expect(opened.usedSlot == slot.fingerprint)
        #expect(try openEnvelope(envelope.bytes, Self.old).position == 0)
    }

    @Test func replacingByAKeyThatHasASlotKeepsThatSlot() throws {
        var envelope = try OpenEnvelope.with(Self.old, Self.new)
        let slot = try envelope.replace(envelope.fingerprint(0), with: Self.new, label: "ignored", date: .fixed)
        #expect(slot.label == "key 2")
        #expect(envelope.keySlots == [slot])
        try envelope.replace(slot.fingerprint, with: Self.new, label: "", date: .fixed)
        #expect(envelope.keySlots == [slot])
    }

    @Test func thereAreAtMost64Slots() throws {
        var envelope = try OpenEnvelope.with(.numbered(0))
        for number in UInt8(1)..<64 {
            try envelope.add(.numbered(number), label: String(repeating: "ü", count: 127), date: .fixed)
        }
        try expectFailure(.keySlot) { try envelope.add(.numbered(64), label: "", date: .fixed) }
        #expect(envelope.bytes.count < Envelope.maxBytes)
        #expect(try openEnvelope(envelope.bytes, .numbered(63)).keySlots.count == 64)
    }

    @Test(arguments: [
        (String(repeating: "ü", count: 128), "256 bytes"), ("a\u{1B}[31m", "control"), ("a\nb", "control"),
    ])
    func aLabelThatCannotBeListedIsRefused(label: String, reason: String) throws {
        var envelope = try OpenEnvelope.with(Self.old)
        try expectFailure(.keySlot, saying: reason) { try envelope.add(Self.new, label: label, date: .fixed) }
    }

    @Test(arguments: [TimeInterval.infinity, .nan, 1e300, -1e300])
    func aDateThatIsNoneIsThatOfTheBeginning(seconds: TimeInterval) throws {
        var envelope = try OpenEnvelope.with(Self.old)
        let slot = try envelope.add(Self.new, label: "", date: Date(timeIntervalSince1970: seconds))
        #expect(slot.created == Date(timeIntervalSince1970: 0))
    }

    // MARK: Costs

    @Test func aDearerCostGetsASaltOfItsOwnAndACheaperOneDoesNot() throws {
        var envelope = try OpenEnvelope.with(.passphrase("a"), .passphrase("b"))
        let dearer = ScryptCost(roundsLogarithm: 11, parallelism: 1)
        try envelope.add(.passphrase("c"), label: "", date: .fixed, cost: dearer)
        try envelope.add(.passphrase("d"), label: "", date: .fixed, cost: .least)
        let derivations = envelope.sealed.slots.map(\.derivation)
        #expect(derivations[0] == derivations[1])
        #expect(derivations[1] != derivations[2])
        #expect(derivations[2] == derivations[3])
        for text in ["a", "b", "c", "d"] { #expect(try openEnvelope(envelope.bytes, .passphrase(text)).position == 0) }
    }

    @Test func theUsualCostIsThatOfAReader() throws {
        #expect(ScryptCost.standard.isPermitted)
        #expect(ScryptCost.standard.isAtLeast(ScryptCost(roundsLogarithm: 16, parallelism: 1)))
        var envelope = try OpenEnvelope.with(.numbered(1))
        try envelope.add(.passphrase("a"), label: "", date: .fixed)
        #expect(try openEnvelope(envelope.bytes, .passphrase("a")).dataKeys == envelope.dataKeys)
    }

    // MARK: Replacing the data key

    @Test func whileTheDataKeyIsReplacedBothAreThereAndAfterwardsTheNewOne() throws {
        var envelope = try OpenEnvelope.with(.passphrase("a"), Self.new)
        let first = envelope.dataKeys
        let both = first.withSuccessor()
        #expect(both.count == 2)
        #expect(both.each[0] == first.each[0])
        #expect(both.each[1] != first.each[0])
        let keys = [Key.passphrase("a"), Self.new]
        #expect(try envelope.rewrap(both, keys: keys) == [])
        let opened = try openEnvelope(envelope.bytes, Self.new)
        #expect(opened.dataKeys == both)
        #expect(opened.fileKeys == both.fileKeys(salt: .salt))
        #expect(try envelope.rewrap(both.each[1], keys: keys) == [])
        for key in keys { #expect(try openEnvelope(envelope.bytes, key).dataKeys == both.each[1]) }
        #expect(envelope.keySlots.map(\.label) == ["key 1", "key 2"])
    }

    @Test func slotsWhoseKeysAreNotGivenGoWithTheOldDataKeyAndAreTold() throws {
        var envelope = try OpenEnvelope.with(Self.old, Self.new)
        _ = try envelope.addRecoveryKey(label: "safe", date: .fixed).key
        let kept = try envelope.addRecoveryKey(label: "bank", date: .fixed).key
        let before = envelope.bytes
        try expectFailure(.keySlot) { try envelope.rewrap(.random(), keys: [.recovery(kept)]) }
        #expect(envelope.bytes == before)
        let gone = try envelope.rewrap(.random(), keys: [Self.new, .recovery(kept)])
        #expect(gone.map(\.label) == ["key 1", "safe"])
        #expect(try openEnvelope(envelope.bytes, .recovery(kept)).keySlots.map(\.label) == ["key 2", "bank"])
        #expect(try expectDefect(envelope.bytes, Self.old) == .noKeyFits)
    }

    // MARK: Opening with the data key
}
