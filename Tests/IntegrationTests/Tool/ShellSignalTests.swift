#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("Signals that a shell gets while a statement runs", .serialized, .timeLimit(.minutes(60)))
struct ShellSignalTests {
    /// Goes on without an end, and shows nothing before it.
    private static let statement =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n;\r"

    /// A terminal, of which a test has the other end.
    private struct Terminal {
        let master: Int32
        let handle: FileHandle

        init() throws {
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // Glibc's module hides unlockpt and ptsname; these are the requests behind them, TIOCSPTLCK and TIOCGPTN.
            var (isLocked, place) = (Int32(0), Int32(0))
            try #require(ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &place) == 0)
            self.master = master
            handle = FileHandle(
                fileDescriptor: open("/dev/pts/\(place)", O_RDWR | O_NOCTTY), closeOnDealloc: true)
        }

        /// Whether lines are read key by key, as at the shell's prompt.
        var isAtPrompt: Bool {
            var settings = termios()
            return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) == 0
        }

        func enter(_ text: String) {
            let bytes = Array(text.utf8)
            #expect(write(master, bytes, bytes.count) == bytes.count)
        }
    }

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
        defer { close(terminal.master) }
        let number = workshop.directory.path("number")
        let tool = try PausedTool(
            URL(filePath: "/usr/bin/env"),
            [
                "setsid", "--ctty", "--wait", "/bin/sh", "-c", "echo $$ > \"$0\"; exec \"$@\"", number,
                workshop.tool.url.path(), "shell", workshop.database, "--no-history", "--key-file",
                workshop.directory.path("keys"),
            ], in: workshop.directory.url, terminal: terminal.handle)
        let asks = try tool.wait { terminal.isAtPrompt }
        let process = try #require(Int32(workshop.text("number").trimmingCharacters(in: .whitespacesAndNewlines)))
        // Whatever the test finds, nobody is to wait for ever.
        defer { if tool.isRunning { kill(process, SIGKILL) } }
        try #require(asks)
        terminal.enter(Self.statement)
        #expect(try tool.wait { !terminal.isAtPrompt && signalsHeard(by: process) == 3 })
        kill(process, signal)
        if signal == SIGINT {
            #expect(try tool.wait { terminal.isAtPrompt })
            terminal.enter("\u{4}")
        }
        let end = try tool.ended()
        #expect(end.status == status, "\(end)")
        #expect(end.errors.contains("Cancelled"))
    }
}
#endif
