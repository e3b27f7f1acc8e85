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
        let status = await StrongroomTool.status(of: arguments, in: session)
        #expect(status == .success, "\(errors.text)")
        return errors.text
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
