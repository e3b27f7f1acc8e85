import Foundation
import StrongroomCommands
import StrongroomTesting
import Testing

/// What the commands about data take and give, as a script sees it.
@Suite("Forms of the data commands", .timeLimit(.minutes(60)))
struct DataFormTests {
    private struct Change: Decodable { let changed: Int }
    private struct Row: Decodable { let id: Int }

    private let ledger: Ledger

    init() async throws {
        ledger = try Ledger()
        try await ledger.make()
    }

    @Test func aTableThatIsNotThereHasOneCode() async throws {
        let file = ledger.directory.path("rows.csv")
        try Data("a\n1\n".utf8).write(to: URL(filePath: file))
        for arguments in [
            ["export", "ledger.sqlite", "nothing"], ["schema", "ledger.sqlite", "nothing"],
            ["import", "ledger.sqlite", "nothing", file],
        ] {
            let run = try await ledger.run(arguments + ["--json"])
            #expect(run.status == .usage, "\(arguments)")
            #expect(try run.failure().code == "noSuchTable", "\(arguments)")
        }
    }

    @Test(arguments: [("selec", "sql"), ("DELETE FROM entry", "readOnly"), ("ATTACH 'x' AS y", "notAuthorized")])
    func aStatementThatCannotBeRunIsWrongUsage(sql: String, code: String) async throws {
        for arguments in [["query", "ledger.sqlite", sql], ["export", "ledger.sqlite", "--query", sql]] {
            let run = try await ledger.run(arguments + ["--json"])
            #expect(run.status == .usage, "\(arguments)")
            #expect(try run.failure().code == code, "\(arguments)")
        }
        #expect(try await ledger.rows() == 3)
    }

    @Test(arguments: ["0", "9", "+", "-", ".", "e", "E", "\"", "\n", "ab", "é"])
    func aSeparatorThatNumbersHaveIsRefused(separator: String) async throws {
        let run = try await ledger.run("export", "ledger.sqlite", "entry", "--separator=\(separator)")
        #expect(run.status == .usage && run.output.isEmpty)
        #expect(run.errors.contains("--separator takes"))
    }

    @Test func whatAScriptAsksForAsJSONIsJSON() async throws {
        let rows = try await ledger.run("export", "ledger.sqlite", "entry", "--json").lines(Row.self)
        #expect(rows.map(\.id) == [1, 2, 3])
        let csv = try await ledger.run("export", "ledger.sqlite", "entry", "--json", "--format", "csv")
        #expect(csv.output.hasPrefix("id,text\r\n"))
        let update = try await ledger.run(
            "query", "ledger.sqlite", "UPDATE entry SET text = 'x' WHERE id < 3", "--write", "--json")
        #expect(try update.json(Change.self).changed == 2 && update.errors.isEmpty)
        let select = try await ledger.run("query", "ledger.sqlite", "SELECT id FROM entry", "--write", "--json")
        #expect(try select.lines(Row.self).count == 3)
    }

    @Test func whatOnlyReadsSaysNothingOfChanges() async throws {
        let reading = try await ledger.run("query", "ledger.sqlite", "SELECT 1", "--write")
        #expect(reading.status == .success && reading.errors.isEmpty)
        let nothing = try await ledger.run("query", "ledger.sqlite", "DELETE FROM entry WHERE id > 9", "--write")
        #expect(nothing.errors == "0 rows changed\n")
    }
}
