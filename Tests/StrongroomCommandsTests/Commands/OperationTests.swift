import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("What a person on call and a timer need", .ending)
struct OperationTests {
    private struct Line: Decodable {
        let command, database, status: String
        let error: Ledger.Failure?
        let start, end, lastDone: String?
    }

    /// A family of databases a, b and c.
    private static func family() async throws -> Ledger {
        let ledger = try Ledger()
        for name in ["a", "b", "c"] { try await ledger.make("ledger_\(name).sqlite") }
        return ledger
    }

    // MARK: Quiet

    @Test(arguments: [
        "status", "doctor", "verify", "verify ledger_a.sqlite", "rotate", "rotate --dry-run", "migrate", "reindex",
        "tables", "backup /copy.sqlite", "export entry -o /rows.csv", "replicate --replicas /replicas", "recover",
    ])
    func `quiet commands print nothing, and errors`(command: String) async throws {
        let ledger = try await Self.family()
        try await ledger.make()
        let words = command.replacing(" /", with: " \(ledger.directory.path(""))/").split(separator: " ").map(
            String.init)
        let arguments = [words[0], "ledger.sqlite"] + words.dropFirst()
        let run = try await ledger.run(arguments + ["--quiet"], isTerminal: true)
        #expect(run.status == .success && run.output.isEmpty && run.errors.isEmpty, "\(run)")
        try FileManager.default.removeItem(atPath: ledger.path())
        let failed = try await ledger.run(arguments + ["--quiet"])
        #expect(failed.status != .success && failed.output.isEmpty)
        #expect(failed.errors.isEmpty == (command == "doctor"), "\(failed)")
    }

    @Test func `a quiet run prints its JSON, and a recovery key is never dropped`() async throws {
        let ledger = try await Self.family()
        let run = try await ledger.run("verify", "--family", "ledger", "--quiet", "--json")
        #expect(try run.lines(Line.self).count == 3)
        #expect(try await ledger.run("keys", "recovery", "ledger_a.sqlite", "--quiet").status == .usage)
    }

    // MARK: Reports

    @Test func `a line has its times, and a report the last time of each database`() async throws {
        let ledger = try await Self.family()
        let report = ledger.directory.path("report.jsonl")
        func verify(_ more: String...) async throws -> [String: Line] {
            let run = try await ledger.run(
                ["verify", "--family", "ledger", "--report", report, "--json", "--at-most", "1"] + more)
            return try Dictionary(uniqueKeysWithValues: run.lines(Line.self).map { ($0.database, $0) })
        }
        let first = try await verify()
        let end = try #require(first["ledger_a.sqlite"]?.end)
        #expect(try Date(end, strategy: .iso8601) <= .now && end.hasSuffix("Z"))
        #expect(first["ledger_a.sqlite"]?.start != nil && first["ledger_a.sqlite"]?.lastDone == nil)
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: ledger.path("ledger_b.sqlite")))
        // Started over, and yet nothing is forgotten.
        #expect(try await verify()["ledger_b.sqlite"]?.lastDone == first["ledger_b.sqlite"]?.end)
        let resumed = try await verify("--resume")
        #expect(resumed["ledger_b.sqlite"]?.status == "failed")
        #expect(resumed["ledger_a.sqlite"]?.status == "skipped" && resumed["ledger_a.sqlite"]?.lastDone != nil)
        #expect(try await verify("--resume", "--max-age", "1h")["ledger_a.sqlite"]?.status == "skipped")
        #expect(try await verify("--resume", "--max-age", "0s")["ledger_a.sqlite"]?.status == "done")
        let status = try await ledger.run("status", "ledger_a.sqlite", "--read-report", report)
        #expect(status.output.contains("verify 20"), "\(status)")
        try await ledger.fails("status", "ledger_a.sqlite", "--read-report", ledger.path(), with: "report", .noInput)
    }

    @Test func `a database whose last line is a failure is done again`() async throws {
        let ledger = try await Ledger.made()
        let report = ledger.directory.path("report.jsonl")
        let lines = ["done", "failed"].map {
            #"{"command":"verify","database":"ledger.sqlite","path":"\#(ledger.path())","status":"\#($0)"}"#
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: report))
        let run = try await ledger.run("verify", "ledger.sqlite", "--report", report, "--resume", "--json")
        #expect(try run.json(Line.self).status == "done")
        // A line of 0.2.0 has no time: whether it is too old is not known.
        try Data("\(lines[0])\n".utf8).write(to: URL(filePath: report))
        for (age, status) in [("4w", "done"), (nil, "skipped")] {
            let more = age.map { ["--max-age", $0] } ?? []
            let run = try await ledger.run(
                ["verify", "ledger.sqlite", "--report", report, "--resume", "--json"] + more)
            #expect(try run.json(Line.self).status == status)
        }
    }

    /// The names of all fields of a JSON value, also of those in it.
    private static func fields(_ value: Any) -> [String] {
        if let list = value as? [Any] { return list.flatMap(fields) }
        return (value as? [String: Any] ?? [:]).flatMap { [$0.key] + fields($0.value) }
    }

    @Test func `the guide has every field`() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let guide = try String(
            contentsOf: root.appending(path: "Sources/Strongroom/Strongroom.docc/OnCall.md"), encoding: .utf8)
        let ledger = try Ledger().with(\.protection, .envelope)
        try await ledger.make()
        let newer = ledger.with(\.keys, [Ledger.keys[0], Ledger.keys[1]]).with(\.versions, 3)
        let (into, replicas) = (ledger.directory.path("copies"), ledger.directory.path("replicas"))
        for (command, more) in [
            ("status", []), ("verify", []), ("rotate --dry-run", []), ("rotate", []), ("migrate", ["--dry-run"]),
            ("migrate", []), ("reindex", []), ("backup --into", [into]), ("replicate", ["--replicas", replicas]),
            ("replica status", ["--replicas", replicas]),
            ("replica prune", ["--replicas", replicas, "--keep", "1d"]),
        ] {
            let words = command.split(separator: " ").map(String.init)
            let run = try await newer.run(words + more + ["ledger.sqlite", "--json"])
            let line = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
            let detail = try #require(line["detail"], "\(command): \(run)")
            let row = try #require(guide.split(separator: "\n").last { $0.hasPrefix("| `\(command)`") }, "\(command)")
            for field in Self.fields(detail) { #expect(row.contains("`\(field)`"), "\(command): \(field)") }
            for field in line.keys { #expect(guide.contains("`\(field)`"), "\(field)") }
        }
    }

    // MARK: Rotation

    @Test(arguments: [KeyProtection.direct, .envelope])
    func `a rotation tells beforehand who loses access`(protection: KeyProtection) async throws {
        struct Answer: Decodable {
            struct Access: Decodable { let key: Int?, slot, label: String? }
            struct Detail: Decodable { let due, rewritesFile: Bool, losesAccess, keepsAccess: [Access] }
            let status, summary: String
            let detail: Detail?
        }
        let ledger = try Ledger().with(\.protection, protection)
        try await ledger.make()
        if protection == .envelope {
            let keys = try ledger.keyFile(Ledger.secrets[2])
            let added = try await ledger.run(
                "keys", "add", "ledger.sqlite", "--new-key-file", keys, "--label", "office")
            #expect(added.status == .success, "\(added)")
        }
        let newer = ledger.with(\.keys, [Ledger.keys[0], Ledger.keys[1]])
        let before = try ledger.bytes(ledger.path())
        let answer = try await newer.run("rotate", "ledger.sqlite", "--dry-run", "--json").json(Answer.self)
        let detail = try #require(answer.detail)
        #expect(answer.status == "done" && detail.due && detail.rewritesFile == (protection == .direct))
        #expect(detail.losesAccess.map(\.key) == [1])
        #expect((detail.losesAccess.first?.slot == nil) == (protection == .direct))
        #expect(detail.keepsAccess.map(\.label) == (protection == .direct ? [] : ["office"]))
        #expect(try ledger.bytes(ledger.path()) == before)
        // As it says.
        #expect(try await newer.run("rotate", "ledger.sqlite").status == .success)
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .configuration)
        for key in protection == .direct ? [1] : [1, 2] {
            #expect(try await newer.with(\.keys, [Ledger.keys[key]]).rows() == 3)
        }
        let after = try await newer.run("rotate", "ledger.sqlite", "--dry-run", "--json").json(Answer.self)
        #expect(after.status == "skipped" && after.detail?.losesAccess.isEmpty == true, "\(after.summary)")
    }

    @Test func `status names the versions of the formats`() async throws {
        struct Answer: Decodable {
            struct Detail: Decodable { let formats: Formats }
            struct Formats: Decodable { let database: String, envelope: Int? }
            let detail: Detail?
        }
        let ledger = try Ledger().with(\.protection, .envelope)
        try await ledger.make()
        try await ledger.with(\.protection, .direct).make("ledger_direct.sqlite")
        for (name, envelope) in [("ledger.sqlite", 1 as Int?), ("ledger_direct.sqlite", nil)] {
            let formats = try #require(
                try await ledger.run("status", name, "--json").json(Answer.self).detail?.formats)
            #expect(formats.database.hasPrefix("SQLCipher ") && formats.envelope == envelope)
        }
        let text = try await ledger.run("status", "ledger.sqlite").output
        #expect(text.contains(", envelope 1"), "\(text)")
    }

    // MARK: Backups of a family

    @Test func `a family is copied into a directory, and an older copy stays where the new one fails`() async throws {
        let ledger = try await Self.family()
        let into = ledger.directory.path("copies")
        let arguments = ["backup", "--family", "ledger", "--into", into]
        #expect(try await ledger.run(arguments).output.contains("3 databases: 3 done"))
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let copies = ["a", "b", "c"].map { "\(into)/ledger_\($0).sqlite" }
        #expect(try await ledger.run(["verify"] + copies + ["--key-file", keys]).status == .success)
        // Nothing is replaced unless that is requested.
        let before = try copies.map { try ledger.bytes($0) }
        let refused = try await ledger.run(arguments + ["--json"])
        #expect(refused.status == .cannotCreate)
        #expect(try refused.lines(Line.self).allSatisfy { $0.error?.code == "exists" })
        try ledger.damage(page: 3, of: "ledger_a.sqlite")
        _ = try await ledger.run("query", "ledger_b.sqlite", "DELETE FROM entry", "--write")
        let replaced = try await ledger.run(arguments + ["--force", "--json"])
        #expect(replaced.status == .dataError)
        let lines = try replaced.lines(Line.self).sorted { $0.database < $1.database }
        #expect(lines.map(\.status) == ["failed", "done", "done"] && lines[0].error?.code == "damaged", "\(lines)")
        #expect(try ledger.bytes(copies[0]) == before[0] && ledger.bytes(copies[1]) != before[1])
    }

    @Test func `copies of one name, and a database as its own copy, are refused`() async throws {
        let ledger = try await Ledger.made()
        let (other, keys) = (ledger.directory.path("other"), try ledger.keyFile(Ledger.secrets[0]))
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: ledger.path(), toPath: "\(other)/ledger.sqlite")
        let into = ledger.directory.path("copies")
        try await ledger.fails(
            "backup", ledger.path(), "\(other)/ledger.sqlite", "--into", into, "--key-file", keys, with: "sameName",
            .usage)
        #expect(!FileManager.default.fileExists(atPath: into))
        let before = try ledger.bytes(ledger.path())
        try await ledger.fails(
            "backup", "ledger.sqlite", "--into", ledger.configuration.directory, "--force", with: "sameFile", .usage)
        try await ledger.fails("backup", "ledger.sqlite", "--into", keys, with: "notAFile")
        #expect(try ledger.bytes(ledger.path()) == before)
        for arguments in [["ledger.sqlite"], ["--family", "ledger"], ["ledger.sqlite", "x", "--report", "r"]] {
            #expect(try await ledger.run(["backup"] + arguments).status == .usage, "\(arguments)")
        }
    }
}
