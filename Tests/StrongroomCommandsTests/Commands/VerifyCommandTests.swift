import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct VerifyCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable {
            struct Page: Decodable { let number: Int, description: String }

            let whole: Bool
            let pages: Int
            let damagedPages: [Page]
        }

        let database: String
        let status: String
        let detail: Detail?
        let error: Ledger.Failure?
    }

    @Test func aWholeDatabaseIsWhole() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let run = try await ledger.run("verify", "ledger.sqlite", "--json")
        #expect(run.status == .success)
        let detail = try #require(try run.json(Answer.self).detail)
        #expect(detail.whole && detail.pages > 1 && detail.damagedPages.isEmpty)
        #expect(try await ledger.run("verify", "ledger.sqlite").output.contains("whole"))
    }

    @Test func damageIsExitCodeOneAndNamesThePage() async throws {
        let ledger = try Ledger()
        try await ledger.make(rows: 2_000)
        try ledger.damage(page: 8)
        let run = try await ledger.run("verify", "ledger.sqlite", "--json")
        #expect(run.status == .failure)
        #expect(try run.failure().code == "damaged")
        let answer = try run.json(Answer.self)
        #expect(answer.detail?.damagedPages.map(\.number) == [8])
    }

    /// The engine refuses to read it at all; the pages say what is damaged.
    @Test func aDamagedSchemaIsNamedWithWhatHelps() async throws {
        struct Found: Decodable {
            struct Page: Decodable { let number: Int, description: String }
            let damagedPages: [Page]
        }
        let ledger = try Ledger(keys: [.raw([UInt8](repeating: 5, count: 32))])
        try await ledger.make()
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        let long = String(repeating: "x", count: 20_000)
        try await store.write { db in
            try db.execute(SQL(stringLiteral: "CREATE TABLE wide (text TEXT DEFAULT '\(long)')"))
        }
        try await store.close()
        let whole = try ledger.bytes(ledger.path())
        var pages: [Int] = []
        let count = try whole.count / CipherSettings.engineDefault().pageSize
        for page in 2...count {
            try ledger.damage(page: page)
            let found = try await ledger.run("doctor", "ledger.sqlite", "--json").json(Found.self).damagedPages
            if found.map(\.description) == ["page \(page) of the schema"] { pages = found.map(\.number) }
            if !pages.isEmpty || found.isEmpty { break }
            try whole.write(to: URL(filePath: ledger.path()))
        }
        #expect(pages.count == 1)
        let doctor = try await ledger.run("doctor", "ledger.sqlite", "--json").json(DoctorCommandTests.Answer.self)
        #expect(doctor.advice.contains("schema") && !doctor.advice.contains("`salvage FILE"))
        let run = try await ledger.run("verify", "ledger.sqlite")
        #expect(run.status == .failure, "\(run.errors)")
        #expect(run.errors.contains("of the schema") && !run.errors.contains("`verify`"), "\(run.errors)")
        #expect(run.errors.contains("Restore it from a backup: a page of the schema is damaged"), "\(run.errors)")
    }

    @Test func goesOnFromAReport() async throws {
        let ledger = try Ledger()
        for name in ["ledger_a.sqlite", "ledger_b.sqlite", "ledger_c.sqlite"] { try await ledger.make(name) }
        let report = ledger.directory.path("report.jsonl")
        // What a killed run leaves behind: one line whole, one cut off.
        let path = ledger.path("ledger_a.sqlite")
        let line = #"{"command":"verify","database":"ledger_a.sqlite","path":"\#(path)","status":"done"}"#
        try Data("\(line)\n{\"command\":\"ver".utf8).write(to: URL(filePath: report))
        let run = try await ledger.run("verify", "--family", "ledger", "--report", report, "--resume", "--json")
        #expect(run.status == .success)
        let answers = try run.lines(Answer.self)
        #expect(answers.filter { $0.status == "skipped" }.map(\.database) == ["ledger_a.sqlite"])
        #expect(answers.count { $0.status == "done" } == 2)
        let again = try await ledger.run("verify", "--family", "ledger", "--report", report, "--resume", "--json")
        #expect(try again.lines(Answer.self).allSatisfy { $0.status == "skipped" })
        // Without it everything is looked at, and the report is begun anew.
        let anew = try await ledger.run("verify", "--family", "ledger", "--report", report, "--json")
        #expect(try anew.lines(Answer.self).allSatisfy { $0.status == "done" })
        #expect(try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").count == 3)
    }

    /// An index that was written wrongly is found by the engine's check alone.
    @Test func onlyPagesAreNoVerification() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let report = ledger.directory.path("report.jsonl")
        func verify(_ flags: String...) async throws -> [String] {
            let arguments = ["verify", "--family", "ledger", "--report", report, "--json"] + flags
            return try await ledger.run(arguments).lines(Answer.self).map(\.status)
        }
        #expect(try await verify("--pages-only") == ["done"])
        #expect(try await verify("--pages-only", "--resume") == ["skipped"])
        #expect(try await verify("--resume") == ["done"])
    }

    @Test func aReportDoesNotOverwriteSomethingElse() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let before = try ledger.bytes(ledger.path())
        let run = try await ledger.run("verify", "ledger.sqlite", "--report", ledger.path(), "--json")
        #expect(run.status == .usage)
        #expect(try run.failure().code == "report")
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test(arguments: ["{\"precious\":1}\n", "{", "[]\n"])
    func aReportDoesNotOverwriteOtherJSON(text: String) async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let path = ledger.directory.path("settings.json")
        try Data(text.utf8).write(to: URL(filePath: path))
        let run = try await ledger.run("verify", "ledger.sqlite", "--report", path, "--json")
        #expect(try run.failure().code == "report")
        #expect(try ledger.bytes(path) == Data(text.utf8))
    }

    @Test func aFamilyThatHasNoDatabaseIsToldSo() async throws {
        let ledger = try Ledger()
        let run = try await ledger.run("verify", "--family", "ledger", "--json")
        #expect(run.status == .noInput)
        #expect(try run.failure().code == "noDatabases")
    }
}

extension Ledger {
    /// Changes a byte in the middle of a page.
    func damage(page: Int, of name: String = "ledger.sqlite") throws {
        var content = try bytes(path(name))
        let size = try CipherSettings.engineDefault().pageSize
        content[(page - 1) * size + size / 2] ^= 1
        try content.write(to: URL(filePath: path(name)))
    }
}
