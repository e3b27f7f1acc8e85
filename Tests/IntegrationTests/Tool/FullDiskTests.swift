#if os(Linux)
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// The disk is full for the tool's process alone: the shim lets its writes fail.
@Suite("The tool on a full disk", .ending)
struct FullDiskTests {
    /// Runs a command under the shim.
    ///
    /// - Parameter full: The call from which on the disk is full; nil for never.
    private func run(
        _ arguments: [String], in workshop: DataWorkshop, full: Int?
    ) async throws -> (outcome: Tool.Outcome, calls: [TracedCall]) {
        let own = try TemporaryDirectory()
        let trace = own.url.appending(path: "trace")
        try Data().write(to: trace)
        var variables = ["STRONGROOM_FAULT_TRACE": trace.path()]
        // Links followed, and without a slash at its end.
        let database = URL(filePath: workshop.database).resolvingSymlinksInPath().path()
        variables["STRONGROOM_FAULT_DIRECTORY"] = String(database.dropLast("/workshop.sqlite".count))
        if let full { variables.merge(Fault(.full, at: full).environment) { $1 } }
        let before = ProcessInfo.processInfo.environment["LD_PRELOAD"]
        variables["LD_PRELOAD"] = try await [FaultShim.path(), before].compactMap(\.self).joined(separator: ":")
        let outcome = try await workshop.tool.run(
            arguments + ["--key-file", workshop.directory.path("keys")], environment: variables)
        let lines = try String(contentsOf: trace, encoding: .utf8)
        return (outcome, lines.split(separator: "\n").compactMap { TracedCall(line: $0) })
    }

    private func command(_ name: String, _ workshop: DataWorkshop) throws -> [String] {
        guard name == "import" else {
            return ["query", workshop.database, "INSERT INTO item (id, name) VALUES (7, 'x')", "--write"]
        }
        try workshop.write("id,name\n7,x\n", to: "lines.csv")
        return ["import", workshop.database, "item", workshop.directory.path("lines.csv")]
    }

    @Test(arguments: ["import", "query"])
    func aCommitWhoseCheckpointFailsHasNotFailed(name: String) async throws {
        let trial = try await DataWorkshop()
        let undisturbed = try await run(command(name, trial), in: trial, full: nil)
        #expect(undisturbed.outcome.status == 0, "\(undisturbed.outcome.errors)")
        // The first write to the database itself, after the last one to its log.
        let lastLogWrite = try #require(undisturbed.calls.last { $0.isWrite && $0.file == "workshop.sqlite-wal" })
        let checkpoint = try #require(
            undisturbed.calls.first {
                $0.isWrite && $0.file == "workshop.sqlite" && $0.number > lastLogWrite.number
            })
        let workshop = try await DataWorkshop()
        let (outcome, _) = try await run(command(name, workshop), in: workshop, full: checkpoint.number)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Warning:") && outcome.errors.contains("workshop.sqlite-wal"))
        // Who is told to try again has every row twice.
        #expect(!outcome.errors.contains("again") && !outcome.errors.contains("was kept"), "\(outcome.errors)")
        let found = try await workshop.run("query", "SELECT id FROM item WHERE name = 'x'", "--csv")
        #expect(found.output == "id\r\n7\r\n", "\(found.errors)")
    }

    @Test func `a backup for which there is no space leaves the older one`() async throws {
        let workshop = try await DataWorkshop()
        let into = workshop.directory.url.appending(path: "copies")
        let arguments = ["backup", workshop.database, "--into", into.path(), "--force", "--quiet"]
        #expect(try await run(arguments, in: workshop, full: nil).outcome.status == 0)
        let before = try Data(contentsOf: into.appending(path: "workshop.sqlite"))
        let (outcome, _) = try await run(arguments + ["--json"], in: workshop, full: 1)
        #expect(outcome.status == 74 && outcome.errors.contains("diskFull"), "\(outcome)")
        #expect(try Data(contentsOf: into.appending(path: "workshop.sqlite")) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: into.path())
        #expect(names.filter { !$0.hasSuffix(".lock") } == ["workshop.sqlite"])
    }

    @Test(arguments: [false, true])
    func theDatabaseIsRead(besideALog: Bool) async throws {
        let workshop = try await DataWorkshop()
        if besideALog { try await leaveLog(workshop) }
        let commands: [([String], String)] = [
            (["query", workshop.database, "SELECT count(*) FROM item", "--csv"], besideALog ? "3" : "2"),
            (["tables", workshop.database], "item"), (["export", workshop.database, "item"], "o'brien"),
            (["schema", workshop.database], "item"), (["status", workshop.database], "item"),
        ]
        for (command, words) in commands {
            let (outcome, _) = try await run(command, in: workshop, full: 1)
            #expect(outcome.status == 0 && outcome.output.contains(words), "\(command[0]): \(outcome)")
        }
        // Nothing was brought into the file, or removed.
        #expect(FileManager.default.fileExists(atPath: workshop.database + "-wal") || !besideALog)
        #expect(
            try await workshop.run("query", "SELECT count(*) FROM item", "--csv").output
                == "count(*)\r\n\(besideALog ? 3 : 2)\r\n")
    }

    /// Leaves a log with a row beside the database, and no index, as after a crash and a restart of the system.
    private func leaveLog(_ workshop: DataWorkshop) async throws {
        let stores = try Stores(WorkshopConfiguration(directory: workshop.directory.path("")))
        let store = try await stores.open("workshop.sqlite")
        try await store.write { db in try db.execute("INSERT INTO item (id, name) VALUES (7, 'x')") }
        let files = FileManager.default
        for ending in ["", "-wal"] {
            try files.copyItem(atPath: workshop.database + ending, toPath: workshop.directory.path("left") + ending)
        }
        try await store.close()
        for ending in ["", "-wal"] {
            try? files.removeItem(atPath: workshop.database + ending)
            try files.moveItem(atPath: workshop.directory.path("left") + ending, toPath: workshop.database + ending)
        }
    }
}
#endif
