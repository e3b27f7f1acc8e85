import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Metrics for node-exporter", .ending)
struct MetricsTests {
    /// A file in Prometheus' text format, read as strictly as promtool checks it.
    private struct Exposition {
        struct Fault: Error { let line: String }

        /// The values by name and labels, as `name{label="value"}`.
        private(set) var samples: [String: Double] = [:]

        init(_ text: String) throws {
            guard text.hasSuffix("\n") else { throw Fault(line: "the end") }
            var (name, seen, hasType): (String?, Set<String>, Bool) = (nil, [], false)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
                if let match = line.wholeMatch(of: /# HELP ([a-z_]+) [A-Z].+\./) {
                    // A group begins once, and all of its lines follow each other.
                    guard seen.insert(String(match.1)).inserted else { throw Fault(line: line) }
                    (name, hasType) = (String(match.1), false)
                } else if let match = line.wholeMatch(of: /# TYPE ([a-z_]+) gauge/), name == String(match.1), !hasType {
                    hasType = true
                } else if let match = line.wholeMatch(of: Self.sample), name == String(match.1), hasType,
                    let value = Double(match.3), !value.isNaN, samples["\(match.1){\(match.2)}"] == nil
                {
                    samples["\(match.1){\(match.2)}"] = value
                    // A gauge is no counter, and has its unit, or a noun of what it counts, at its end.
                    guard name?.hasSuffix("_seconds") == true || name == "strongroom_files" else {
                        throw Fault(line: line)
                    }
                } else {
                    throw Fault(line: line)
                }
            }
        }

        nonisolated(unsafe) private static let sample =  // A regular expression is not changed.
            /([a-z_]+)\{((?:[a-z_]+="(?:[^"\\]|\\[\\"n])*",?)+)\} ([0-9]+(?:\.[0-9]+)?)/
            .matchingSemantics(.unicodeScalar)

        subscript(_ name: String, _ command: String) -> Double? {
            samples["strongroom_\(name){command=\"\(command)\",family=\"ledger\"}"]
        }

        func files(_ command: String, _ outcome: String) -> Double? {
            samples["strongroom_files{command=\"\(command)\",family=\"ledger\",outcome=\"\(outcome)\"}"]
        }
    }

    private let ledger: Ledger
    private let file: String

    init() async throws {
        ledger = try Ledger()
        file = ledger.directory.path("strongroom.prom")
        for name in ["a", "b"] { try await ledger.make("ledger_\(name).sqlite") }
    }

    private func metrics(_ arguments: String...) async throws -> Exposition {
        _ = try await ledger.run(arguments + ["--metrics", file])
        return try Exposition(String(contentsOfFile: file, encoding: .utf8))
    }

    @Test func `a run is written, and the last success survives a failure`() async throws {
        let report = ledger.directory.path("report.jsonl")
        let first = try await metrics("verify", "--family", "ledger", "--report", report)
        #expect(first.files("verify", "done") == 2 && first.files("verify", "failed") == 0)
        let now = Date.now.timeIntervalSince1970
        let success = try #require(first["last_success_timestamp_seconds", "verify"])
        #expect(success <= now && success > now - 86_400 && first["run_duration_seconds", "verify"] != nil)
        let oldest = try #require(first["oldest_success_timestamp_seconds", "verify"])
        #expect(oldest <= success)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        // A time that no later run can have.
        let text = try String(contentsOfFile: file, encoding: .utf8).replacing(" \(Int(success))\n", with: " 77\n")
        try Data(text.utf8).write(to: URL(filePath: file))
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: ledger.path("ledger_b.sqlite")))
        let second = try await metrics("verify", "--family", "ledger", "--report", report)
        #expect(second["last_success_timestamp_seconds", "verify"] == 77)
        // That of the file that fails now; the first run may have verified it a second after the other one.
        #expect((oldest...success).contains(try #require(second["oldest_success_timestamp_seconds", "verify"])))
        #expect(try #require(second["last_run_timestamp_seconds", "verify"]) >= success)
        #expect(second.files("verify", "done") == 1 && second.files("verify", "failed") == 1)
        // Another command has its own, in the same file, and so has a part of the family.
        for command in ["reindex", "verify"] {
            let both = try await metrics(command, "ledger_a.sqlite")
            let label = #"{command="\#(command)",database="ledger_a.sqlite"}"#
            #expect(both.samples["strongroom_last_success_timestamp_seconds\(label)"] != nil)
            #expect(both.files("verify", "failed") == 1 && both["last_success_timestamp_seconds", "verify"] == 77)
        }
    }

    @Test func `commands that end at the same time all are in the file`() async throws {
        // In one process a file is open once, so each has a database of its own.
        let runs = [("verify", "ledger_a.sqlite"), ("reindex", "ledger_b.sqlite")]
        let file = file
        try await withThrowingTaskGroup(of: StrongroomCommands.ExitStatus.self) { group in
            for (command, name) in runs {
                group.addTask { [ledger] in try await ledger.run(command, name, "--metrics", file).status }
            }
            for try await status in group { #expect(status == .success) }
        }
        let all = try Exposition(String(contentsOfFile: file, encoding: .utf8))
        for (command, name) in runs {
            let labels = #"command="\#(command)",database="\#(name)""#
            #expect(all.samples["strongroom_last_run_timestamp_seconds{\(labels)}"] != nil, "\(command)")
        }
    }

    @Test func `status writes the oldest data key and the oldest slot, if each is known`() async throws {
        let none = try await metrics("status", "--family", "ledger", "--brief")
        #expect(none.files("status", "done") == 2)
        #expect(none["oldest_key_slot_timestamp_seconds", "status"] == nil)
        let wrapping = ledger.with(\.protection, .envelope)
        _ = try await wrapping.run("rotate", "--family", "ledger")
        let now = Date.now.timeIntervalSince1970
        let both = try await metrics("status", "--family", "ledger", "--brief")
        for name in ["oldest_data_key_timestamp_seconds", "oldest_key_slot_timestamp_seconds"] {
            let time = try #require(both[name, "status"])
            #expect(time <= now && time > now - 3_600)
        }
        let store = try await Stores(wrapping.configuration).open("ledger_b.sqlite")
        try await store.write { db in try db.execute("DROP VIEW strongroom_data_key") }
        try await store.close()
        let one = try await metrics("status", "--family", "ledger", "--brief")
        #expect(one["oldest_data_key_timestamp_seconds", "status"] == nil)
        #expect(one["oldest_key_slot_timestamp_seconds", "status"] != nil)
        #expect(try await ledger.run("status", "ledger_a.sqlite", "--metrics", "/tmp/keys").status == .usage)
    }

    @Test(arguments: [#"a"b"#, "a\"\u{301}b", #"a\b"#])
    func `a label is escaped`(name: String) async throws {
        let (path, keys) = (ledger.path("\(name).sqlite"), try ledger.keyFile(Ledger.secrets[0]))
        try FileManager.default.copyItem(atPath: ledger.path("ledger_a.sqlite"), toPath: path)
        let found = try await metrics("verify", path, "--key-file", keys)
        let escaped = ["a\"b": #"a\"b"#, "a\"\u{301}b": "a\\\"\u{301}b", #"a\b"#: #"a\\b"#][name] ?? ""
        let label = "command=\"verify\",database=\"\(ledger.path(escaped)).sqlite\""
        #expect(found.samples["strongroom_last_run_timestamp_seconds{\(label)}"] != nil, "\(found.samples)")
        // Read again, it replaces what it has written.
        #expect(try await metrics("verify", path, "--key-file", keys).samples.count == found.samples.count)
    }

    @Test func `what is no file of metrics is not replaced`() async throws {
        for (name, text) in [("notes.prom", "shopping list\n"), ("other.prom", "node_load1 0.5\n")] {
            let path = ledger.directory.path(name)
            try Data(text.utf8).write(to: URL(filePath: path))
            try await ledger.fails("verify", "ledger_a.sqlite", "--metrics", path, with: "metrics", .usage)
            #expect(try ledger.bytes(path) == Data(text.utf8))
        }
        #expect(try await ledger.run("verify", "ledger_a.sqlite", "--metrics", "/tmp/keys").status == .usage)
        let nowhere = ledger.directory.path("none/x.prom")
        try await ledger.fails("verify", "ledger_a.sqlite", "--metrics", nowhere, with: "inputOutput", .inputOutput)
    }
}
