#if os(Linux)
import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("A run of a family that a signal has ended", .ending)
struct InterruptedRunTests {
    private struct Line: Decodable { let database, status: String }

    private static func lines(_ text: String) -> [Line] {
        text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test(arguments: ["rotate", "verify", "backup", "migrate"], [SIGKILL, SIGINT])
    func `is resumed with the rest`(command: String, signal: Int32) async throws {
        let workshop = try ToolWorkshop()
        let names = (1...20).map { "inventory_\($0).sqlite" }
        for name in names { try await workshop.make(name) }
        if command == "rotate" { try workshop.inventory.keyFile.appendKey() }
        if command == "migrate" {
            #expect(try await workshop.run("migrate", "--family", "inventory", "--to", "1").status == 0)
        }
        let (report, copies) = (workshop.directory.path("report.jsonl"), workshop.directory.path("copies"))
        let arguments =
            [command, "--family", "inventory", "--at-most", "2", "--report", report, "--resume"]
            + (command == "backup" ? ["--into", copies, "--force"] : [])
        let output = workshop.directory.url.appending(path: "output")
        try Data().write(to: output)
        let tool = try PausedTool(
            workshop.tool.url, arguments, in: workshop.directory.url, output: FileHandle(forWritingTo: output),
            environment: workshop.environment)
        let before = { Self.lines((try? String(contentsOfFile: report, encoding: .utf8)) ?? "") }
        #expect(try tool.wait { before().count >= 3 })
        kill(tool.identifier, signal)
        let end = try tool.ended()
        #expect(end.status == (signal == SIGINT ? 130 : SIGKILL))
        #expect(end.errors.contains("Stopping") == (signal == SIGINT))
        let summary = try String(contentsOf: output, encoding: .utf8)
        #expect(summary.contains("not begun or interrupted") == (signal == SIGINT), "\(summary)")
        let done = Set(before().filter { $0.status == "done" }.map(\.database))
        #expect((3..<20).contains(done.count))

        let rest = try await workshop.tool.run(arguments + ["--json"], environment: workshop.environment)
        #expect(rest.status == 0, "\(rest.errors)")
        let answers = Self.lines(rest.output)
        #expect(answers.map(\.database).sorted() == names.sorted())
        #expect(Set(answers.filter { $0.status == "skipped" }.map(\.database)).isSuperset(of: done))
        // Two were in work, and may have been done without a line.
        #expect(answers.count { $0.status == "done" } >= names.count - done.count - 2)
        #expect(Self.lines(try String(contentsOfFile: report, encoding: .utf8)).count >= done.count + names.count)
        guard command == "backup" else { return }
        let files = names.map { "\(copies)/\($0)" }
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies).count { !$0.hasSuffix(".lock") } == 20)
        let check = try await workshop.tool.run(["verify"] + files + ["--key-file", workshop.keyFile])
        #expect(check.status == 0, "\(check.errors)")
    }
}
#endif
