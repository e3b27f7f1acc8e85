import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

/// How far a command is, as a terminal shows it.
@Suite("The progress of commands", .ending)
struct CommandProgressTests {
    private let ledger: Ledger

    init() async throws {
        ledger = try Ledger()
        try await ledger.make(rows: 600)
    }

    /// Runs a command by a clock that goes on by a minute whenever somebody looks at it.
    private func errors(_ arguments: [String], isTerminal: Bool = true) async throws -> String {
        let errors = TextCapture()
        let status = await StrongroomTool.status(
            of: arguments, in: try session(errors: errors, isTerminal: isTerminal))
        #expect(status == .success, "\(errors.text)")
        return errors.text
    }

    private func session(errors: TextCapture, isTerminal: Bool = true) throws -> CommandSession {
        var session = CommandSession(
            console: Console(
                output: ConsoleStream(capture: TextCapture()),
                errors: ConsoleStream(capture: errors, isTerminal: isTerminal)),
            stores: try Stores(ledger.configuration))
        let clock = ManualClock()
        session.uptime = {
            clock.advance(by: .seconds(60))
            return clock.now
        }
        return session
    }

    private func rows() throws -> String {
        let path = ledger.directory.path("rows.csv")
        try Data(("text\n" + (0..<9_000).map { "a row of the file with number \($0)\n" }.joined()).utf8)
            .write(to: URL(filePath: path))
        return path
    }

    @Test func anImportCountsTheBytesOfItsFile() async throws {
        let path = try rows()
        let told = try await errors(["import", "ledger.sqlite", "entry", path])
        let size = HumanReadable.bytes(try ledger.bytes(path).count)
        #expect(told.contains("Importing") && told.contains("64.0 KiB/\(size)") && told.contains("100%"), "\(told)")
        #expect(told.contains(" left"))
    }

    @Test func anExportCountsTheRowsOfItsTable() async throws {
        let path = ledger.directory.path("rows.csv")
        let told = try await errors(["export", "ledger.sqlite", "entry", "-o", path])
        #expect(told.contains("Exporting") && told.contains("256/600") && told.contains("600/600"), "\(told)")
        // Those of a query are not counted first.
        let query = ["export", "ledger.sqlite", "--query", "SELECT * FROM entry", "-o", path, "--force"]
        let some = try await errors(query)
        #expect(some.contains("Exporting") && some.contains("256") && !some.contains("%"), "\(some)")
    }

    @Test func statusCountsTables() async throws {
        let told = try await errors(["status", "ledger.sqlite"])
        #expect(told.contains("Looking") && told.contains("1/1"), "\(told)")
    }

    @Test(arguments: [("rotate", "Rotating"), ("verify", "Verifying"), ("backup", "Copying"), ("doctor", "Reading")])
    func theOthersTellHowMuchIsDone(command: String, label: String) async throws {
        var newer = self.ledger
        newer.configuration.keys.append(Ledger.keys[1])
        let test = CommandProgressTests(ledger: command == "rotate" ? newer : ledger)
        let file = command == "backup" ? [ledger.directory.path("copy.sqlite")] : []
        let told = try await test.errors([command, "ledger.sqlite"] + file)
        // A backup so small may be done before it is known how large it is.
        #expect(told.contains(label) && (command == "backup" || told.contains("%")), "\(command): \(told)")
    }

    @Test func tablesCountsThem() async throws {
        let told = try await errors(["tables", "ledger.sqlite"])
        #expect(told.contains("Counting") && told.contains("0/1") && told.contains("0%"), "\(told)")
    }

    /// Nobody can tell how much of a statement is done.
    @Test(arguments: [true, false]) func whatTellsNothingShowsTheTime(isCSV: Bool) async throws {
        let endless = """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number) SELECT count(*) FROM number
            """
        let shown = TextCapture()
        let session = try session(errors: shown)
        let hasEnded = Locked(false)
        let run = Task {
            defer { hasEnded.withLock { $0 = true } }
            return await StrongroomTool.status(
                of: ["query", "ledger.sqlite", endless] + (isCSV ? ["--csv"] : []), in: session)
        }
        defer { run.cancel() }
        // Where nothing is shown the suite's time ends this.
        while shown.text.components(separatedBy: "Running").count < 3 {
            try #require(!hasEnded.withLock { $0 }, "\(shown.text)")
            try await Task.sleep(for: .milliseconds(20))
        }
        run.cancel()
        #expect(shown.text.contains(" min"))
        #expect(await run.value == .interrupted)
        // It leaves nothing behind.
        let rest = try #require(shown.text.components(separatedBy: "Running").last)
        #expect(rest.contains("\r\u{1B}[K"))
    }

    @Test func ofSeveralIsToldHowManyAreDone() async throws {
        try await ledger.make("ledger_b.sqlite")
        let told = try await errors(["verify", "--family", "ledger", "--at-most", "1"])
        #expect(told.contains("Verifying") && told.contains("1/2") && told.contains("2/2"), "\(told)")
    }

    @Test func whereNobodySeesItNothingIsTold() async throws {
        #expect(try await errors(["verify", "ledger.sqlite"], isTerminal: false).isEmpty)
        #expect(try await errors(["verify", "ledger.sqlite", "--json"]).isEmpty)
    }
}

extension CommandProgressTests {
    fileprivate init(ledger: Ledger) { self.ledger = ledger }
}
