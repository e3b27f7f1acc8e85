import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("What a report says of earlier runs", .ending)
struct ReportTests {
    private struct Line: Decodable { let command, database, status: String }

    private let ledger: Ledger
    private let report: String

    init() async throws {
        ledger = try Ledger().with(\.protection, .envelope)
        report = ledger.directory.path("report.jsonl")
        for name in ["a", "b"] { try await ledger.make("ledger_\(name).sqlite") }
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: report)) }

    /// Runs a command with the report.
    private func statuses(_ arguments: String...) async throws -> [String] {
        try await ledger.run(arguments + ["--report", report, "--json"]).lines(Line.self).map(\.status)
    }

    @Test func `only the copy that is listed is replaced, and only one as it was written is done`() async throws {
        let (into, other) = (ledger.directory.path("copies"), ledger.directory.path("other"))
        #expect(try await statuses("backup", "ledger_a.sqlite", "--into", into) == ["done"])
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        let (copy, older) = ("\(into)/ledger_a.sqlite", "\(other)/ledger_a.sqlite")
        let whole = try ledger.bytes(copy)
        try FileManager.default.copyItem(atPath: copy, toPath: older)
        try await ledger.fails(
            "backup", "ledger_a.sqlite", "--into", other, "--report", report, "--resume", with: "exists",
            .cannotCreate)
        #expect(try ledger.bytes(older) == whole)
        let resumed = ["backup", "ledger_a.sqlite", "--into", into, "--report", report, "--resume", "--json"]
        // Its last line is a failure.
        #expect(try await ledger.run(resumed).json(Line.self).status == "done")
        #expect(try await ledger.run(resumed).json(Line.self).status == "skipped")
        try whole.dropLast(512).write(to: URL(filePath: copy))
        #expect(try await ledger.run(resumed).json(Line.self).status == "done")
        #expect(try ledger.bytes(copy).count == whole.count)
        try FileManager.default.removeItem(atPath: "\(copy).keys")
        #expect(try await ledger.run(resumed).json(Line.self).status == "done")
        #expect(FileManager.default.fileExists(atPath: "\(copy).keys"))
    }

    @Test func `what starts over keeps the times of all databases, and nothing counts as done`() async throws {
        #expect(try await statuses("verify", "ledger_a.sqlite") == ["done"])
        #expect(try await statuses("verify", "ledger_b.sqlite") == ["done"])
        let status = try await ledger.run("status", "ledger_a.sqlite", "--read-report", report)
        #expect(status.output.contains("verify 20"), "\(status)")
        #expect(try await statuses("verify", "ledger_a.sqlite", "--resume") == ["done"])
    }

    @Test func `a time in the future is unknown`() async throws {
        try write(
            """
            {"command":"verify","database":"a","end":"2500-01-01T00:00:00Z","path":"\(ledger.path("ledger_a.sqlite"))",\
            "status":"done"}

            """)
        #expect(try await statuses("verify", "ledger_a.sqlite", "--resume", "--max-age", "1d") == ["done"])
    }

    @Test func `a database that is gone, or whose pages are damaged, is not verified`() async throws {
        #expect(try await statuses("verify", "--family", "ledger") == ["done", "done"])
        let name = "ledger_b.sqlite"
        let whole = try ledger.bytes(ledger.path(name))
        try ledger.damage(page: 3, of: name)
        #expect(try await statuses("verify", name, "--pages-only", "--resume", "--max-age", "0s") == ["failed"])
        try whole.write(to: URL(filePath: ledger.path(name)))
        #expect(try await statuses("verify", name, "--resume") == ["done"])
        try FileManager.default.removeItem(atPath: ledger.path(name))
        try await ledger.fails("verify", name, "--report", report, "--resume", with: "fileMissing", .noInput)
    }

    @Test func `one that another run writes, or with metrics that are none, is not changed`() async throws {
        #expect(try await statuses("verify", "ledger_a.sqlite") == ["done"])
        let (before, metrics) = (try ledger.bytes(report), ledger.directory.path("x.prom"))
        try Data("node_load1 0.5\n".utf8).write(to: URL(filePath: metrics))
        try await ledger.fails(
            "verify", "ledger_a.sqlite", "--report", report, "--metrics", metrics, with: "metrics", .usage)
        let other = try FileHandle(forReadingFrom: URL(filePath: report))
        #expect(flock(other.fileDescriptor, LOCK_EX) == 0)
        for more in [[], ["--resume"]] {
            try await ledger.fails(
                ["verify", "ledger_a.sqlite", "--report", report] + more, with: "locked", .temporaryFailure)
        }
        #expect(try ledger.bytes(report) == before)
        try other.close()
        #expect(try await statuses("verify", "ledger_a.sqlite", "--resume") == ["skipped"])
    }

    @Test(arguments: [#"{"command":"veri"#, "{\"command\":\"veri\n"], ["--resume", "--at-most=1"])
    func `an incomplete line blocks nothing`(text: String, option: String) async throws {
        try write(text)
        #expect(try await statuses("verify", "ledger_a.sqlite", option) == ["done"])
    }

    @Test func `a restore is not resumed, and a trial is not what it tries`() async throws {
        let replicas = ledger.directory.path("replicas")
        #expect(try await ledger.run("replicate", "ledger_a.sqlite", "--replicas", replicas).status == .success)
        let name = ["ledger_a.sqlite", "--replicas", replicas, "--report", report]
        #expect(try await ledger.run(["replica", "restore", "--force", "--resume"] + name).status == .usage)
        let trial = try await ledger.run(["replica", "prune", "--keep", "1d", "--dry-run", "--json"] + name)
        #expect(try trial.json(Line.self).command == "replica prune --dry-run")
    }

    @Test func `failures of one kind have its exit code, also after an interruption`() async throws {
        try FileManager.default.removeItem(atPath: ledger.path("ledger_b.sqlite"))
        for (names, status) in [
            (["unknown.sqlite", "ledger_a.sqlite"], StrongroomCommands.ExitStatus.configuration),
            (["unknown.sqlite", "ledger_b.sqlite"], .failure), (["ledger_b.sqlite", "ledger_a.sqlite"], .noInput),
        ] {
            #expect(try await ledger.run(["verify"] + names).status == status, "\(names)")
        }
        let interrupted = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ledger.run("verify", "unknown.sqlite", "ledger_a.sqlite", "--at-most", "1").status
        }
        #expect(try await interrupted.value == .configuration)
    }
}
