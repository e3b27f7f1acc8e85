import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Backups with an envelope", .ending)
struct EnvelopeBackupTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("source"), keys: .numbered(1)).with(\.protection, .envelope) }

    private var copy: String { directory.path("out/vault.sqlite") }

    /// The names beside the copy, without the lock.
    private var names: [String] { get throws { try CopyFixture.names(in: directory.path("out")) } }

    private static let published = ["vault.sqlite", "vault.sqlite.keys", "vault.sqlite.keys.copy"]

    /// The copy as a database of its own.
    private func opened(_ keys: Key...) -> Vault { Vault(directory.path("out")) { _ in try KeyChain(keys) } }

    /// A database with one row, a slot for a second key, and a recovery key.
    private func make() async throws -> RecoveryKey {
        try await vault.keep("one")
        return try await vault.using { store in
            try await store.addKey(.numbered(2), label: "second")
            return try await store.recoveryKey(label: "safe")
        }
    }

    private func move(_ name: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: directory.path(other))
        try FileManager.default.moveItem(atPath: directory.path(name), toPath: directory.path(other))
    }

    @Test func everySlotOpensTheCopy() async throws {
        let recovery = try await make()
        try await vault.backUp(to: copy)
        #expect(try names == Self.published)
        for path in Self.published {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("out/\(path)"))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        for key in [Key.numbered(1), .numbered(2), .recovery(recovery)] {
            #expect(try await opened(key).with(\.settings.isReadOnly, true).lines() == ["one"])
        }
        try await expectFailure(.wrongKey) { _ = try await opened(.numbered(3)).lines() }
    }

    @Test func aRecoveryKeyRestoresALostDatabaseAndTheSlotsComeAlong() async throws {
        let recovery = try await make()
        try await vault.backUp(to: copy)
        try FileManager.default.removeItem(atPath: vault.directory)
        let keys: [Key] = [.recovery(recovery), .numbered(7)]
        let after = Vault(vault.directory) { _ in try KeyChain(keys) }.with(\.protection, .envelope)
        try await Stores(after).restore("vault.sqlite", from: copy)
        #expect(try await after.lines() == ["one"])
        let slots = try await after.using { try await $0.keySlots() }
        #expect(slots.count == 4 && slots[1].label == "second" && slots[2].label == "safe" && slots[2].isRecovery)
        // The new key has a slot of its own, and the recovery key is not needed any more.
        let alone = Vault(vault.directory, keys: .numbered(7)).with(\.protection, .envelope)
        #expect(try await alone.lines() == ["one"])
        #expect(try CopyFixture.names(in: vault.directory) == Self.published)
    }

    @Test func aGivenRecoveryKeyOpensTheCopyForAnotherDatabase() async throws {
        let recovery = try await make()
        try await vault.backUp(to: copy)
        let other = Vault(directory.path("other"), keys: .numbered(8)).with(\.protection, .envelope)
        try await Stores(other).restore("vault.sqlite", from: copy, keys: KeyChain(.recovery(recovery)))
        #expect(try await other.lines() == ["one"])
        #expect(try await other.using { try await $0.keySlots() }.count == 1)
    }

    @Test func anExistingDatabaseKeepsItsSlots() async throws {
        _ = try await make()
        try await vault.backUp(to: copy)
        try await vault.keep("two")
        try await vault.using { store in
            for slot in try await store.keySlots() where slot.isRecovery || slot.label == "second" {
                try await store.revokeKey(slot.fingerprint)
            }
        }
        try await Stores(vault).restore("vault.sqlite", from: copy)
        #expect(try await vault.lines() == ["one"])
        #expect(try await vault.using { try await $0.keySlots() }.count == 1)
        // Also where the file itself is gone, and only its envelope is left.
        try FileManager.default.removeItem(atPath: vault.path)
        try await Stores(vault).restore("vault.sqlite", from: copy)
        #expect(try await vault.lines() == ["one"])
        // With another data key the copy is rewritten.
        try await vault.using { store in _ = try await store.rotate(.dataKey) }
        try await Stores(vault).restore("vault.sqlite", from: copy)
        #expect(try await vault.lines() == ["one"])
        #expect(try await vault.using { try await $0.keySlots() }.count == 1)
    }

    /// The states between the steps of replacing one copy by another, whose data key differs.
    @Test func aKillWhileACopyIsReplacedLeavesOneThatOpens() async throws {
        try await vault.keep("one")
        try await vault.using { store in
            _ = try await store.backup(to: copy)
            _ = try await store.rotate(.dataKey)
        }
        try await vault.keep("two")
        try await vault.backUp(to: directory.path("new.sqlite"))
        // The envelope is prepared, and the copy is the former one.
        try move("new.sqlite.keys", to: "out/.vault.sqlite.keys.next")
        let reader = opened(.numbered(1)).with(\.settings.isReadOnly, true)
        #expect(try await reader.lines() == ["one"])
        // The copy is the new one, and both other envelopes are still the former ones.
        try move("new.sqlite", to: "out/vault.sqlite")
        #expect(try await reader.lines() == ["one", "two"])
        let restored = Vault(directory.path("restored"), keys: .numbered(1)).with(\.protection, .envelope)
        try await Stores(restored).restore("vault.sqlite", from: copy)
        #expect(try await restored.lines() == ["one", "two"])
        // A further attempt is killed while it prepares its envelope.
        try move("out/.vault.sqlite.keys.next", to: "out/vault.sqlite.keys.copy")
        #expect(try await reader.lines() == ["one", "two"])
        try FileManager.default.copyItem(atPath: copy + ".keys", toPath: directory.path("out/.vault.sqlite.keys.next"))
        #expect(try await reader.lines() == ["one", "two"])
        // One of them has its name.
        try move("new.sqlite.keys.copy", to: "out/vault.sqlite.keys.copy")
        #expect(try await reader.lines() == ["one", "two"])
        // The next copy leaves nothing of it.
        try await vault.using { store in _ = try await store.backup(to: copy, replacing: true) }
        #expect(try names == Self.published)
        #expect(try await reader.lines() == ["one", "two"])
    }

    @Test func aCopyThatIsOpenedAfterAKillGetsItsEnvelope() async throws {
        try await vault.keep("one")
        try await vault.backUp(to: copy)
        try move("out/vault.sqlite.keys", to: "out/.vault.sqlite.keys.next")
        try FileManager.default.removeItem(atPath: copy + ".keys.copy")
        #expect(try await opened(.numbered(1)).lines() == ["one"])
        #expect(try names == Self.published)
    }

    @Test func theEnvelopeOfAnotherDatabaseIsNotReplaced() async throws {
        try await vault.keep("one")
        let other = Vault(directory.path("out"), keys: .numbered(5)).with(\.protection, .envelope)
        try await other.keep("theirs")
        try await vault.using { store in
            _ = try await expectFailure(.exists) { try await store.backup(to: copy, replacing: true) }
        }
        #expect(try await other.lines() == ["theirs"])
    }

    @Test func theNewestSlotsAreTakenOverAfterAKill() async throws {
        try await vault.keep("one")
        let slot = try await vault.using { store in
            let slot = try await store.addKey(.numbered(2), label: "second")
            _ = try await store.backup(to: copy)
            return slot
        }
        try await vault.using { store in
            try await store.revokeKey(slot.fingerprint)
            try await store.addKey(.numbered(3), label: "third")
            _ = try await store.backup(to: directory.path("new.sqlite"))
        }
        // The copy is the new one, and its envelope has not got its names yet.
        try move("new.sqlite.keys", to: "out/.vault.sqlite.keys.next")
        try move("new.sqlite", to: "out/vault.sqlite")
        let restored = Vault(directory.path("restored"), keys: .numbered(1)).with(\.protection, .envelope)
        try await Stores(restored).restore("vault.sqlite", from: copy)
        let labels = try await restored.using { try await $0.keySlots() }.map(\.label)
        #expect(labels.contains("third") && !labels.contains("second"))
    }

    @Test func aCopyWithAKeyOfItsOwnKeepsNothingOfAKilledAttempt() async throws {
        try await vault.keep("one")
        try await vault.backUp(to: copy)
        try move("out/vault.sqlite.keys", to: "out/.vault.sqlite.keys.next")
        try move("out/vault.sqlite.keys.copy", to: "out/.vault.sqlite.keys.copy.new")
        try await vault.using { store in _ = try await store.backup(to: copy, key: .numbered(6), replacing: true) }
        #expect(try names == ["vault.sqlite"])
        #expect(try await opened(.numbered(6)).lines() == ["one"])
    }

    @Test func anEnvelopeOfAnotherTimeIsNamed() async throws {
        try await vault.keep("one")
        try await vault.using { store in
            _ = try await store.backup(to: directory.path("old.sqlite"))
            _ = try await store.rotate(.dataKey)
            _ = try await store.backup(to: copy)
        }
        try move("old.sqlite.keys", to: "out/vault.sqlite.keys")
        try FileManager.default.removeItem(atPath: copy + ".keys.copy")
        let other = Vault(directory.path("other"), keys: .numbered(1)).with(\.protection, .envelope)
        let message = try await expectFailure(.wrongKey) {
            try await Stores(other).restore("vault.sqlite", from: copy)
        }.message
        #expect(message.contains("older than the other") && !message.contains("Give one of them"))
    }

    @Test func theErrorNamesTheBackupAndWhatOpensIt() async throws {
        _ = try await make()
        try await vault.backUp(to: copy)
        let other = Vault(directory.path("other"), keys: .numbered(8))
        func failure() async throws -> String {
            try await expectFailure(.wrongKey) { try await Stores(other).restore("vault.sqlite", from: copy) }.message
        }
        let message = try await failure()
        #expect(message.contains("\"\(copy)\"") && message.contains("\"\(copy).keys\"") && message.contains("(second)"))
        #expect(message.contains("safe, recovery key") && !message.contains(".restoring"))
        try FileManager.default.removeItem(atPath: copy + ".keys")
        try FileManager.default.removeItem(atPath: copy + ".keys.copy")
        let without = try await failure()
        #expect(without.contains("no envelope of it at \"\(copy).keys\"") && !without.contains(".restoring"))
    }
}
