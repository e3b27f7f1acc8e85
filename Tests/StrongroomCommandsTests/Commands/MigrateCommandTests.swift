import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct MigrateCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable {
            let from: String?
            let to: String?
            let applied: [String]
            let undone: [String]
            let schemaChanges: [String]
        }

        let database: String
        let status: String
        let summary: String
        let detail: Detail?
    }

    private let old: Ledger
    private var newer: Ledger { old.with(\.versions, 3) }

    init() async throws {
        old = try Ledger()
        try await old.make()
    }

    @Test func bringsADatabaseToTheNewestVersionOnce() async throws {
        let answer = try await newer.run("migrate", "ledger.sqlite", "--json").json(Answer.self)
        #expect(answer.status == "done")
        #expect(answer.detail?.from == "2" && answer.detail?.to == "3" && answer.detail?.applied == ["3"])
        #expect(try await newer.run("migrate", "ledger.sqlite", "--json").json(Answer.self).status == "skipped")
        #expect(try await newer.rows() == 3)
    }

    @Test func goesThroughAFamilyAndSkipsWhatIsDone() async throws {
        try await newer.make("ledger_b.sqlite")
        try await old.make("ledger_c.sqlite")
        let run = try await newer.run("migrate", "--family", "ledger", "--at-most", "2", "--json")
        #expect(run.status == .success, "\(run.errors)")
        let answers = try run.lines(Answer.self).sorted { $0.database < $1.database }
        #expect(answers.map(\.database) == ["ledger.sqlite", "ledger_b.sqlite", "ledger_c.sqlite"])
        #expect(answers.map(\.status) == ["done", "skipped", "done"])
        #expect(answers.compactMap { $0.detail?.to } == ["3", "3"])
        let back = try await newer.run("migrate", "--family", "ledger", "--to", "1")
        #expect(back.output.contains("3 databases: 3 done"), "\(back.output)")
    }

    @Test func goesBackOnPurpose() async throws {
        let answer = try await old.run("migrate", "ledger.sqlite", "--to", "1", "--json").json(Answer.self)
        #expect(answer.detail?.undone == ["2"])
        #expect(answer.summary.contains("back"))
    }

    @Test func aDryRunTellsAndChangesNothing() async throws {
        let before = try old.bytes(old.path())
        let run = try await newer.run("migrate", "ledger.sqlite", "--dry-run", "--json")
        #expect(run.status == .success)
        let answer = try run.json(Answer.self)
        #expect(answer.summary == "would go from version 2 to 3")
        #expect(answer.detail?.schemaChanges.contains { $0.contains("tag") } == true)
        #expect(try old.bytes(old.path()) == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: old.configuration.directory)
        #expect(!files.contains { $0.hasSuffix(".trial") })
    }

    @Test func aVersionThatIsNotThereIsNamedAsSuch() async throws {
        let run = try await newer.run("migrate", "ledger.sqlite", "--to", "9", "--json")
        #expect(run.status == .usage)
        #expect(try run.failure().code == "invalidArgument")
    }

    @Test func aDatabaseOfANewerProgramIsRefused() async throws {
        _ = try await newer.run("migrate", "ledger.sqlite")
        let run = try await old.run("migrate", "ledger.sqlite", "--json")
        #expect(run.status == .dataError)
        #expect(try run.failure().code == "newerSchema")
    }

    @Test func aFileWithoutAConfigurationCannotBeMigrated() async throws {
        let keys = try old.keyFile(Ledger.secrets[0])
        let run = try await old.run("migrate", old.path(), "--key-file", keys, "--json")
        #expect(run.status == .configuration)
        #expect(try run.failure().code == "noConfiguration")
    }

    @Test func aCopyElsewhereIsMigratedWithItsConfiguration() async throws {
        let copy = old.directory.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: old.path(), toPath: copy)
        let run = try await newer.run("migrate", "ledger.sqlite", "--path", copy, "--json")
        #expect(try run.json(Answer.self).status == "done")
        let own = try await newer.run("status", "ledger.sqlite", "--json").json(StatusCommandTests.Answer.self)
        #expect(own.detail?.schema.version == "2")
    }
}
