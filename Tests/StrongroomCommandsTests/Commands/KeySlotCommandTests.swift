import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Slots from a terminal", .ending)
struct KeySlotCommandTests {
    private struct Slot: Decodable {
        let fingerprint, label, created: String
        let isRecovery: Bool
        let key: Int?
        let recoveryKey: String?
    }

    private struct Answer: Decodable { let slots: [Slot] }

    private let ledger: Ledger

    init() throws { ledger = try Ledger().with(\.protection, .envelope) }

    private func slots() async throws -> [Slot] {
        try await ledger.run("keys", "slots", "ledger.sqlite", "--json").json(Answer.self).slots
    }

    @Test func slotsAreAddedLabelledAndRevoked() async throws {
        try await ledger.make()
        let first = try #require(try await slots().first)
        #expect(first.label == "key chain: passphrase" && first.key == 1 && !first.isRecovery)
        let keys = try ledger.keyFile(Ledger.secrets[1])
        let run = try await ledger.run(
            "keys", "add", "ledger.sqlite", "--new-key-file", keys, "--label", "second", "--json")
        let added = try run.json(Slot.self)
        #expect(try await slots().map(\.label) == ["key chain: passphrase", "second"])
        #expect(try await slots().map(\.key) == [1, nil])
        let labelled = try await ledger.run("keys", "label", "ledger.sqlite", first.fingerprint, "of the chain")
        #expect(labelled.status == .success, "\(labelled.errors)")
        #expect(try await slots().map(\.label) == ["of the chain", "second"])
        // Only its own key can seal the label.
        let other = try await ledger.run("keys", "label", "ledger.sqlite", added.fingerprint, "x", "--json")
        #expect(try other.failure().code == "keySlot")
        let own = try await ledger.run(
            "keys", "label", "ledger.sqlite", added.fingerprint, "theirs", "--key-file", keys)
        #expect(own.status == .success, "\(own.errors)")
        let table = try await ledger.run("keys", "slots", "ledger.sqlite").output
        #expect(table.contains(added.fingerprint) && table.contains("theirs") && table.contains("of the chain"))
        #expect(try await ledger.run("keys", "revoke", "ledger.sqlite", added.fingerprint).status == .success)
        #expect(try await slots().map(\.label) == ["of the chain"])
        let last = try await ledger.run("keys", "revoke", "ledger.sqlite", first.fingerprint, "--json")
        #expect(try last.failure().code == "keySlot" && last.status == .usage)
        #expect(try await ledger.run("keys", "revoke", "ledger.sqlite", "12").status == .usage)
    }

    @Test(arguments: [[], ["--json"]]) func aRecoveryKeyThatNobodyCouldReadIsAFailure(form: [String]) async throws {
        try await ledger.make()
        let (pipe, errors) = (try DescriptorPair.pipe(), TextCapture())
        pipe.closeReading()
        let session = CommandSession(
            console: Console(
                output: ConsoleStream(descriptor: pipe.writing, environment: [:]),
                errors: ConsoleStream(capture: errors)),
            stores: try Stores(ledger.configuration), input: KeyInput(all: { _ in [] }, line: { _ in nil }))
        let status = await StrongroomTool.status(of: ["keys", "recovery", "ledger.sqlite"] + form, in: session)
        #expect(status == .inputOutput)
        let slot = try #require(try await slots().last)
        #expect(slot.isRecovery && errors.text.contains(slot.fingerprint))
    }

    @Test func aRecoveryKeyIsPrintedOnceAndOpensFileAndBackup() async throws {
        try await ledger.make()
        let made = try await ledger.run("keys", "recovery", "ledger.sqlite", "--label", "safe", "--json")
        let slot = try made.json(Slot.self)
        let text = try #require(slot.recoveryKey)
        #expect(slot.isRecovery && slot.label == "safe" && text.count == 47)
        #expect(try await !ledger.run("keys", "slots", "ledger.sqlite").output.contains(text))
        let copy = ledger.directory.path("copy.sqlite")
        let backup = try await ledger.run("backup", "ledger.sqlite", copy)
        #expect(backup.output.contains("\(copy).keys: keep both files together"), "\(backup.output)")
        // The passphrase is lost.
        let paper = try ledger.keyFile("recovery:\(text)", name: "paper")
        for command in ["verify", "tables"] {
            let run = try await ledger.run(command, copy, "--key-file", paper)
            #expect(run.status == .success, "\(run.errors)")
        }
        let after = ledger.with(\.keys, [.passphrase(Ledger.secrets[2])])
        let wrong = try await after.run("restore", copy, "ledger_b.sqlite", "--json")
        #expect(try wrong.failure().code == "wrongKey")
        #expect(try wrong.failure().message.contains("safe, recovery key"))
        let restored = try await after.run(
            "restore", copy, "ledger_b.sqlite", "--backup-key-file", paper, "--adopt-from", "ledger.sqlite")
        #expect(restored.status == .success, "\(restored.errors)")
        #expect(try await after.rows("ledger_b.sqlite") == 3)
        // Or the new passphrase gets a slot.
        let keys = try ledger.keyFile(Ledger.secrets[2])
        let added = try await ledger.run("keys", "add", ledger.path(), "--key-file", paper, "--new-key-file", keys)
        #expect(added.status == .success, "\(added.errors)")
        #expect(try await after.rows() == 3)
    }
}
