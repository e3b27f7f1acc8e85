import Foundation
import StrongroomCommands
import StrongroomTesting
import Testing

/// What the commands about data take and give, as a script sees it.
@Suite("Forms of the data commands", .ending)
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

    @Test(arguments: [(";", ";"), ("tab", "\t"), ("|", "|")])
    func aSeparatorCountsInBothDirections(separator: String, character: String) async throws {
        let file = ledger.directory.path("rows.csv")
        let option = ["--separator", separator]
        let out = try await ledger.run(["export", "ledger.sqlite", "entry", "-o", file] + option)
        #expect(out.status == .success, "\(out.errors)")
        #expect(try ledger.bytes(file).starts(with: Data("id\(character)text\r\n1\(character)row 0\r\n".utf8)))
        _ = try await ledger.run("query", "ledger.sqlite", "DELETE FROM entry", "--write")
        let back = try await ledger.run(["import", "ledger.sqlite", "entry", file] + option)
        #expect(back.status == .success && back.output == "3 rows added\n", "\(back.errors)")
        #expect(try await ledger.rows() == 3)
    }

    @Test(arguments: [(0, 0, 30), (2, 2, 28), (20, 20, 10), (40, 30, 0)])
    func asManyBadLinesAreNamedAsAreAskedFor(limit: Int, named: Int, rest: Int) async throws {
        let file = ledger.directory.path("rows.csv")
        try Data(("id\n" + (0..<30).map { "x\($0)\n" }.joined()).utf8).write(to: URL(filePath: file))
        let options = limit == 20 ? [] : ["--show-bad", "\(limit)"]
        let run = try await ledger.run(["import", "ledger.sqlite", "entry", file] + options)
        #expect(run.status == .dataError)
        #expect(run.errors.split(separator: "\n").count { $0.hasPrefix("line ") } == named)
        #expect(run.errors.contains("and \(rest) more") == (rest > 0))
    }

    @Test func whatTheTablePassesOverIsCounted() async throws {
        let file = ledger.directory.path("rows.csv")
        try Data("name\na\na\n".utf8).write(to: URL(filePath: file))
        _ = try await ledger.run(
            "query", "ledger.sqlite", "CREATE TABLE tag (name TEXT UNIQUE ON CONFLICT IGNORE)", "--write")
        let run = try await ledger.run("import", "ledger.sqlite", "tag", file)
        #expect(run.status == .success && run.output == "1 row added, 1 line skipped by the table's constraints\n")
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 3), (4, 3)])
    func aTableShowsAsManyRowsAsAreAskedFor(limit: Int, shown: Int) async throws {
        let run = try await ledger.run("query", "ledger.sqlite", "SELECT text FROM entry", "--limit", "\(limit)")
        #expect(run.status == .success)
        #expect(run.output.split(separator: "\n").count { $0.contains("row ") } == shown)
        #expect(run.errors.contains("Only the first") == (shown < 3))
    }

    @Test(arguments: ["0", "-1", "1000001", "x"])
    func aLimitThatIsNoneIsWrongUsage(limit: String) async throws {
        let run = try await ledger.run("query", "ledger.sqlite", "SELECT 1", "--limit=\(limit)")
        #expect(run.status == .usage)
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

    @Test(arguments: [[], ["--write"]])
    func vacuumSaysHowItIsRun(options: [String]) async throws {
        let run = try await ledger.run(["query", "ledger.sqlite", "VACUUM"] + options)
        #expect(run.status == .usage && run.errors.contains("`vacuum()`"), "\(run.errors)")
    }

    @Test func whatOnlyReadsSaysNothingOfChanges() async throws {
        let reading = try await ledger.run("query", "ledger.sqlite", "SELECT 1", "--write")
        #expect(reading.status == .success && reading.errors.isEmpty)
        let nothing = try await ledger.run("query", "ledger.sqlite", "DELETE FROM entry WHERE id > 9", "--write")
        #expect(nothing.errors == "0 rows changed\n")
    }
}
