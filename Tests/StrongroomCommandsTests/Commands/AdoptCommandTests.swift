import Foundation
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("adopt")
struct AdoptCommandTests {
    private let ledger: Ledger

    init() throws { ledger = try Ledger() }

    @Test func aRenamedDatabaseIsOpenedOnceThatIsSaid() async throws {
        try await ledger.make("ledger_a.sqlite")
        try FileManager.default.moveItem(atPath: ledger.path("ledger_a.sqlite"), toPath: ledger.path("ledger_b.sqlite"))
        let refused = try await ledger.run("migrate", "ledger_b.sqlite", "--json")
        #expect(refused.status == .configuration)
        let failure = try refused.failure()
        #expect(failure.code == "otherDatabase")
        #expect(failure.message.contains("strongroom adopt ledger_b.sqlite --from ledger_a.sqlite"))
        let run = try await ledger.run("adopt", "ledger_b.sqlite", "--from", "ledger_a.sqlite")
        #expect(run.status == .success, "\(run.errors)")
        #expect(try await ledger.rows("ledger_b.sqlite") == 3)
        // A file without a configuration has no name to compare.
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let path = ["adopt", ledger.path("ledger_b.sqlite"), "--from", "x.sqlite", "--key-file", keys]
        #expect(try await ledger.run(path).status != .success)
    }

    @Test func aBackupOfAnotherDatabaseIsRestoredOnceThatIsSaid() async throws {
        try await ledger.make("ledger_a.sqlite")
        let backup = ledger.directory.path("backup.sqlite")
        #expect(try await ledger.run("backup", "ledger_a.sqlite", backup).status == .success)
        let refused = try await ledger.run("restore", backup, "ledger_b.sqlite", "--json")
        #expect(refused.status == .configuration)
        #expect(try refused.failure().code == "otherDatabase")
        #expect(!FileManager.default.fileExists(atPath: ledger.path("ledger_b.sqlite")))
        let run = try await ledger.run("restore", backup, "ledger_b.sqlite", "--adopt-from", "ledger_a.sqlite")
        #expect(run.status == .success, "\(run.errors)")
        #expect(try await ledger.rows("ledger_b.sqlite") == 3)
    }
}
