import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Keeping copies from a terminal", .ending)
struct BackupCommandTests {
    private struct Answer: Decodable {
        let file: String
        let rows: Int
        let defect: String?
    }

    private let ledger: Ledger
    private var copy: String { ledger.directory.path("copy.sqlite") }

    init() throws { ledger = try Ledger() }

    /// A plaintext database, whose schema is changed in its bytes: its index then fits its table no more.
    private func makeWithDefect() async throws {
        try await ledger.makePlaintext()
        var bytes = try ledger.bytes(ledger.path())
        let (before, after) = (Data("ON entry (text)".utf8), Data("ON entry (id  )".utf8))
        while let place = bytes.range(of: before) { bytes.replaceSubrange(place, with: after) }
        try bytes.write(to: URL(filePath: ledger.path()))
    }

    @Test func aCopyWithADefectIsNoSuccess() async throws {
        try await makeWithDefect()
        let unchecked = try await ledger.run("backup", ledger.path(), copy, "--plaintext")
        #expect(unchecked.status == .success)
        let run = try await ledger.run("backup", ledger.path(), copy, "--plaintext", "--check-structure", "--force")
        #expect(run.status == .dataError)
        #expect(run.output.hasPrefix("Copied:") && FileManager.default.fileExists(atPath: copy))
        #expect(run.errors.contains("\"\(copy)\"") && run.errors.contains("restore"), "\(run.errors)")
        let again = try await ledger.run(
            "backup", ledger.path(), copy, "--plaintext", "--force", "--check-structure", "--json")
        #expect(again.status == .dataError)
        #expect(try again.json(Answer.self).defect?.isEmpty == false)
        #expect(try again.failure().code == "defect")
        // As it says.
        let before = try ledger.bytes(ledger.path())
        let back = try await ledger.run(
            "restore", copy, ledger.path(), "--plaintext", "--allow-plaintext", "--force", "--json")
        #expect(back.status == .dataError)
        #expect(try back.failure().code == "damaged")
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test func plaintextIsTakenAndWrittenOnlyWithLeave() async throws {
        try await ledger.makePlaintext()
        #expect(try await ledger.run("backup", ledger.path(), copy, "--plaintext").status == .success)
        let target = ledger.path("ledger_new.sqlite")
        let refused = try await ledger.run("restore", copy, target, "--plaintext", "--json")
        #expect(try refused.failure().code == "plaintextFile")
        #expect(!FileManager.default.fileExists(atPath: target))
        let taken = try await ledger.run("restore", copy, target, "--plaintext", "--allow-plaintext", "--json")
        #expect(try taken.json(Answer.self).rows >= 2)
        #expect(try ledger.bytes(target).starts(with: Data("SQLite format 3\0".utf8)))
        // One that has a key is encrypted with it.
        let named = try await ledger.run(
            "restore", copy, "ledger_named.sqlite", "--allow-plaintext", "--adopt-from", "ledger.sqlite")
        #expect(named.status == .success, "\(named.errors)")
        #expect(try await ledger.rows("ledger_named.sqlite") == 2)
    }

    @Test func keysComeFromTheEnvironment() async throws {
        try await ledger.make()
        let name = "STRONGROOM_TEST_\(UInt32.random(in: 0...UInt32.max))"
        setenv(name, "\(Ledger.secrets[1])\n\(Ledger.secrets[2])", 1)
        defer { unsetenv(name) }
        #expect(try await ledger.run("backup", "ledger.sqlite", copy, "--new-key-env", name).status == .success)
        // The last of them.
        let keys = try ledger.keyFile(Ledger.secrets[2])
        #expect(try await ledger.run("tables", copy, "--key-file", keys).status == .success)
        _ = try await ledger.run("query", "ledger.sqlite", "DELETE FROM entry", "--write")
        let wrong = try await ledger.run("restore", copy, "ledger.sqlite", "--force", "--json")
        #expect(try wrong.failure().code == "wrongKey")
        let back = try await ledger.run("restore", copy, "ledger.sqlite", "--force", "--backup-key-env", name)
        #expect(back.status == .success, "\(back.errors)")
        #expect(try await ledger.rows() == 3)
    }

    @Test(arguments: ["backup", "restore"])
    func twoSourcesOfAKeyAreWrongUsage(command: String) async throws {
        let option = command == "backup" ? "--new-key" : "--backup-key"
        let run = try await ledger.run(
            command, "ledger.sqlite", "ledger_copy.sqlite", "\(option)-file", "keys", "\(option)-env", "KEYS")
        #expect(run.status == .usage)
    }

    /// It says what to do, since it does not do it.
    @Test func aDatabaseThatCannotBeOpenedIsToBeMovedAway() async throws {
        try await ledger.make()
        #expect(try await ledger.run("backup", "ledger.sqlite", copy).status == .success)
        try Data().write(to: URL(filePath: ledger.path()))
        let refused = try await ledger.run("restore", copy, "ledger.sqlite", "--force", "--json")
        #expect(refused.status == .dataError)
        #expect(try refused.failure().message.contains("move \"\(ledger.path())\""))
        try FileManager.default.moveItem(atPath: ledger.path(), toPath: ledger.directory.path("away.sqlite"))
        #expect(try await ledger.run("restore", copy, "ledger.sqlite").status == .success)
        #expect(try await ledger.rows() == 3)
    }
}
