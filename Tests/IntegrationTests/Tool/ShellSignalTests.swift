#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

@Suite("Signals that a shell gets while a statement runs", .serialized, .ending)
struct ShellSignalTests {
    /// Goes on without an end, and shows nothing before it.
    private static let statement =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n;\r"

    /// How many signals a process hears of by descriptors, as it does while a statement runs.
    private func signalsHeard(by process: Int32) -> Int {
        let directory = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
            return target?.contains("signalfd") == true
        }
    }

    /// Control-C means the statement; the others mean the shell.
    @Test(arguments: [(SIGINT, 0), (SIGTERM, 130), (SIGHUP, 130)] as [(Int32, Int32)])
    func whatEndsAProcessEndsTheShell(signal: Int32, status: Int32) async throws {
        let workshop = try await DataWorkshop()
        let terminal = try Terminal()
        let number = workshop.directory.path("number")
        let tool = try PausedTool(
            URL(filePath: "/usr/bin/env"),
            [
                "setsid", "--ctty", "--wait", "/bin/sh", "-c", "echo $$ > \"$0\"; exec \"$@\"", number,
                workshop.tool.url.path(), "shell", workshop.database, "--no-history", "--key-file",
                workshop.directory.path("keys"),
            ], in: workshop.directory.url, terminal: terminal.handle)
        let asks = try tool.wait { terminal.isReadByKeys }
        let process = try #require(Int32(workshop.text("number").trimmingCharacters(in: .whitespacesAndNewlines)))
        // Whatever the test finds, nobody is to wait for ever.
        defer { if tool.isRunning { kill(process, SIGKILL) } }
        try #require(asks)
        // A later statement is cancelled as the first one is.
        for _ in 0..<(signal == SIGINT ? 2 : 1) {
            terminal.enter(Self.statement)
            #expect(try tool.wait { !terminal.isReadByKeys && signalsHeard(by: process) == 3 })
            kill(process, signal)
            if signal == SIGINT { #expect(try tool.wait { terminal.isReadByKeys }) }
        }
        if signal == SIGINT { terminal.enter("\u{4}") }
        let end = try tool.ended()
        #expect(end.status == status, "\(end)")
        #expect(end.errors.contains("Cancelled"))
    }
}
#endif
