import Foundation
import StrongroomTesting
import Testing

@Suite("Signals that the tool gets", .serialized, .ending)
struct SignalTests {
    /// Rows without end.
    private static let sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(zeroblob(50)) FROM n"

    /// Starts a command on the database.
    private func start(
        _ workshop: DataWorkshop, _ command: [String], input: FileHandle? = nil, output: FileHandle? = nil
    ) throws -> PausedTool {
        try PausedTool(
            workshop.tool.url,
            [command[0], workshop.database] + command.dropFirst() + ["--key-file", workshop.directory.path("keys")],
            in: workshop.directory.url, input: input, output: output)
    }

    private func export(_ workshop: DataWorkshop, _ options: [String] = []) throws -> PausedTool {
        try start(workshop, ["export", "--query", Self.sql, "-o", workshop.directory.path("big.csv")] + options)
    }

    private func hasPart(_ workshop: DataWorkshop) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path("")).contains {
            $0.hasPrefix("big.csv")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func anExportThatIsEndedLeavesNoPlaintext(signal: Int32) async throws {
        let workshop = try await DataWorkshop()
        let tool = try export(workshop)
        #expect(try tool.wait { try hasPart(workshop) })
        kill(tool.identifier, signal)
        let end = try tool.ended()
        #expect(end.status == 130 && end.errors.contains("Cancelled"), "\(end)")
        #expect(try !hasPart(workshop))
    }

    @Test func whatAKilledExportLeavesTheNextOneRemoves() async throws {
        let workshop = try await DataWorkshop()
        let tool = try export(workshop)
        #expect(try tool.wait { try hasPart(workshop) })
        kill(tool.identifier, SIGKILL)
        _ = try tool.ended()
        #expect(try hasPart(workshop))
        #expect(try await workshop.run("export", "item", "-o", workshop.directory.path("big.csv")).status == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path(""))
        #expect(left.filter { $0.hasPrefix("big.csv") } == ["big.csv"])
        #expect(try workshop.text("big.csv").hasPrefix("id,name,"))
    }

    /// Before the first row, and after it.
    @Test(arguments: [SIGINT, SIGTERM], ["", "id,name\n5,five\n"])
    func anImportWhoseRowsDoNotComeEnds(signal: Int32, rows: String) async throws {
        let workshop = try await DataWorkshop()
        let silent = Pipe()
        defer { try? silent.fileHandleForWriting.close() }
        try silent.fileHandleForWriting.write(contentsOf: Data(rows.utf8))
        let tool = try start(workshop, ["import", "item", "-"], input: silent.fileHandleForReading)
        // It has the store open, has read what there is, and waits for more.
        let opened = workshop.database + "-wal"
        #expect(
            try tool.wait {
                try FileManager.default.fileExists(atPath: opened)
                    && Self.unread(silent) == 0 && tool.isAsleep()
            })
        kill(tool.identifier, signal)
        let end = try tool.ended()
        #expect(end.status == 130 && end.errors.contains("Cancelled"), "\(end)")
        #expect(try await workshop.run("query", "SELECT count(*) AS n FROM item", "--csv").output == "n\r\n2\r\n")
    }

    private static func unread(_ pipe: Pipe) -> Int32 {
        var count: Int32 = 0
        return ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &count) == 0 ? count : -1
    }

    #if os(Linux)
    /// A named pipe into which nobody writes yet.
    @Test func anImportFromAPipeWithoutAWriterEnds() async throws {
        let workshop = try await DataWorkshop()
        let path = workshop.directory.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let tool = try start(workshop, ["import", "item", path])
        let opened = workshop.database + "-wal"
        #expect(try tool.wait { try FileManager.default.fileExists(atPath: opened) && tool.isAsleep() })
        kill(tool.identifier, SIGINT)
        let end = try tool.ended()
        #expect(end.status == 130 && end.errors.contains("Cancelled"), "\(end)")
    }
    #endif

    @Test func aScriptGetsOnlyJSONWhenItIsInterrupted() async throws {
        let workshop = try await DataWorkshop()
        let tool = try export(workshop, ["--json"])
        #expect(try tool.wait { try hasPart(workshop) })
        kill(tool.identifier, SIGINT)
        let end = try tool.ended()
        let report = try #require(try JSONSerialization.jsonObject(with: Data(end.errors.utf8)) as? [String: Any])
        #expect((report["error"] as? [String: Any])?["code"] as? String == "cancelled")
        #expect(end.status == 130)
    }

    #if os(Linux)
    /// The work hears of the signal, but a line is being written that nobody reads.
    @Test(arguments: [SIGTERM, SIGHUP])
    func oneSignalEndsWhatWaitsForAReader(signal: Int32) async throws {
        let workshop = try await DataWorkshop()
        let unread = Pipe()
        defer { try? unread.fileHandleForReading.close() }
        let tool = try start(workshop, ["query", Self.sql, "--csv"], output: unread.fileHandleForWriting)
        #expect(try tool.wait { try Self.unread(unread) > 60_000 && tool.isAsleep() })
        kill(tool.identifier, signal)
        #expect(try tool.ended().status == 130)
        #expect(try await workshop.run("query", "SELECT count(*) AS n FROM item", "--csv").output == "n\r\n2\r\n")
    }

    /// The passphrase lies where the key is kept, and nowhere else: not in the environment either, which other
    /// processes of the same user can read.
    @Test(
        .enabled(if: !ThreadSanitizer.isOn, "the thread sanitizer's own memory is terabytes, which cannot be searched"))
    func aPassphraseOfTheEnvironmentOrOfAFileLiesInMemoryOnce() async throws {
        let workshop = try await DataWorkshop()
        let passphrase = "a passphrase like no other \(UUID().uuidString)"
        try workshop.write(passphrase + "\n", to: "new")
        let database = workshop.directory.path("other.sqlite")
        #expect(
            try await workshop.run(
                [
                    "backup", workshop.database, database, "--key-file", workshop.directory.path("keys"),
                    "--new-key-file", workshop.directory.path("new"),
                ]
            ).status == 0)
        // From then on a log lies beside it as soon as it is open.
        let insertion = ["query", database, "INSERT INTO item VALUES (7, 'seven', NULL, NULL)", "--write"]
        #expect(try await workshop.run(insertion + ["--key-file", workshop.directory.path("new")]).status == 0)
        var counts: [String: Int] = [:]
        for source in ["--key-env", "--key-file"] {
            let silent = Pipe()
            defer { try? silent.fileHandleForWriting.close() }
            let tool = try PausedTool(
                workshop.tool.url,
                ["import", database, "item", "-", source]
                    + [source == "--key-env" ? "A_KEY_OF_TESTS" : workshop.directory.path("new")],
                in: workshop.directory.url, input: silent.fileHandleForReading,
                environment: source == "--key-env" ? ["A_KEY_OF_TESTS": passphrase] : [:])
            #expect(
                try tool.wait { try FileManager.default.fileExists(atPath: database + "-wal") && tool.isAsleep() })
            counts[source] = try ProcessMemory(tool.identifier).count(of: Data(passphrase.utf8))
            let environment = FileManager.default.contents(atPath: "/proc/\(tool.identifier)/environ") ?? Data()
            #expect(environment.range(of: Data("A_KEY_OF_TESTS=".utf8)) == nil || source == "--key-env")
            #expect(environment.range(of: Data(passphrase.utf8)) == nil)
            kill(tool.identifier, SIGTERM)
            #expect(try tool.ended().status == 130)
        }
        #expect(counts == ["--key-env": 1, "--key-file": 1])
    }

    /// A key is asked for, and a statement.
    @Test(arguments: [SIGTERM, SIGHUP, SIGINT], [true, false])
    func aTerminalAtWhichALineIsReadIsAsItWasBefore(signal: Int32, isShell: Bool) async throws {
        let workshop = try await DataWorkshop()
        let terminal = try Terminal()
        #expect(terminal.echoes && !terminal.isReadByKeys)
        // A shell of its own session, so that the terminal is there when the tool is not.
        let (number, done) = (workshop.directory.path("number"), workshop.directory.path("done"))
        let script = """
            number=$1; done=$2; shift 2
            /bin/sh -c 'echo $$ > "$0"; exec "$@"' "$number" "$@"
            stty -a > "$done"
            """
        let arguments =
            isShell
            ? ["shell", workshop.database, "--no-history", "--key-file", workshop.directory.path("keys")]
            : ["tables", workshop.database]
        let tool = try PausedTool(
            URL(filePath: "/usr/bin/env"),
            ["setsid", "--ctty", "--wait", "/bin/sh", "-c", script, "sh", number, done, workshop.tool.url.path()]
                + arguments,
            in: workshop.directory.url, terminal: terminal.handle)
        let asks = try tool.wait { !terminal.echoes && terminal.isReadByKeys }
        let process = try #require(Int32(workshop.text("number").trimmingCharacters(in: .whitespacesAndNewlines)))
        // Whatever the test finds, the shell is not to wait for ever.
        kill(process, asks ? signal : SIGKILL)
        _ = try tool.ended()
        #expect(asks)
        let after = try workshop.text("done").split(whereSeparator: \.isWhitespace)
        #expect(after.contains("echo") && after.contains("icanon") && after.contains("isig"))
    }
    #endif
}
