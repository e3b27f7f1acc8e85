import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct StatusCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable {
            struct Cipher: Decodable { let pageSize: Int }
            struct Key: Decodable { let number, count: Int, isCurrent: Bool }
            struct Schema: Decodable { let version, newest: String?, pending: [String] }
            struct Table: Decodable { let name: String, rows: Int?, bytes: Int? }
            struct Process: Decodable { let process: Int }
            struct Advisory: Decodable { let identifier, consequence, fixedIn: String }
            struct Engine: Decodable { let sqlite: String, advisories: [Advisory] }

            let path: String
            let bytes: Int
            let plaintext: Bool
            let cipher: Cipher?
            let key: Key?
            let schema: Schema
            let tables, libraryTables: [Table]?
            let holders: [Process]
            let engine: Engine
        }

        let database: String
        let status: String
        let detail: Detail?
        let error: Ledger.Failure?
    }

    @Test func tellsWhatThereIsToKnow() async throws {
        let ledger = try await Ledger.made(rows: 7)
        let newer = ledger.with(\.keys, [Ledger.keys[0], Ledger.keys[1]]).with(
            \.versions, 3)
        let detail = try #require(try await newer.run("status", "ledger.sqlite", "--json").json(Answer.self).detail)
        #expect(detail.path == ledger.path())
        #expect(detail.bytes > 0 && !detail.plaintext && detail.holders.isEmpty)
        #expect(try detail.cipher?.pageSize == CipherSettings.engineDefault().pageSize)
        let advisories = try EngineFeatures.current().advisories
        #expect(detail.engine.advisories.map(\.identifier) == advisories.map(\.identifier))
        #expect(detail.engine.advisories.map(\.fixedIn) == advisories.map(\.fixedIn))
        #expect(detail.key?.number == 1 && detail.key?.count == 2 && detail.key?.isCurrent == false)
        #expect(detail.schema.version == "2" && detail.schema.newest == "3" && detail.schema.pending == ["3"])
        #expect(detail.tables?.map(\.name) == ["entry"])
        #expect(detail.tables?.first?.rows == 7)
        let hasBytes = try EngineFeatures.current().hasPageStatistics
        #expect((detail.tables?.first?.bytes ?? 0 > 0) == hasBytes)
    }

    @Test func `the age of the data key and of each slot is shown, and needs no other key`() async throws {
        struct Answer: Decodable {
            struct Slot: Decodable { let fingerprint, label: String, ageDays: Int?, isRecovery: Bool }
            struct Detail: Decodable { let slots: [Slot]?, dataKeyCreated: String?, dataKeyAgeDays: Int? }
            let database: String
            let detail: Detail?
        }
        let ledger = try Ledger()
        try await ledger.make("ledger_a.sqlite")
        let wrapping = ledger.with(\.protection, .envelope)
        try await wrapping.make("ledger_b.sqlite")
        #expect(try await wrapping.run("keys", "recovery", "ledger_b.sqlite", "--label", "safe").status == .success)
        let lines = try await wrapping.run("status", "--family", "ledger", "--brief", "--json").lines(Answer.self)
            .sorted { $0.database < $1.database }
        #expect(lines.count == 2 && lines[0].detail?.slots == nil && lines[0].detail?.dataKeyAgeDays == nil)
        let detail = try #require(lines[1].detail)
        #expect(detail.dataKeyAgeDays == 0 && detail.dataKeyCreated?.hasSuffix("Z") == true)
        #expect(detail.slots?.map(\.ageDays) == [0, 0] && detail.slots?.map(\.isRecovery) == [false, true])
        let text = try await wrapping.run("status", "ledger_b.sqlite").output
        #expect(text.contains("Data key  0 days old") && text.contains("(safe) 0 days"), "\(text)")
        let direct = try await wrapping.run("status", "ledger_a.sqlite").output
        #expect(!direct.contains("Data key") && !direct.contains("Slots"))
        // Without a record the age is unknown.
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let store = try await Stores(wrapping.configuration).open("ledger_b.sqlite")
        try await store.write { db in try db.execute("DROP VIEW strongroom_data_key") }
        try await store.close()
        #expect(try await wrapping.run("status", "ledger_b.sqlite").output.contains("Data key  of unknown age"))
        let other = try await wrapping.run("status", ledger.path("ledger_b.sqlite"), "--key-file", keys)
        #expect(other.output.contains("(safe) 0 days"), "\(other)")
    }

    @Test func `a data key that is due is not replaced by commands that open the file`() async throws {
        let ledger = try Ledger().with(\.protection, .envelope)
        try await ledger.make()
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        try await store.write { db in try db.execute("DROP VIEW strongroom_data_key") }
        try await store.close()
        let due = ledger.with(\.settings.rotation, .after(days: 90))
        let before = try ledger.bytes(ledger.path("ledger.sqlite.keys"))
        for command in [["verify"], ["query"], ["keys", "slots"], ["rotate"]] {
            let sql = command == ["query"] ? ["SELECT 1"] : []
            #expect(try await due.run(command + ["ledger.sqlite"] + sql).status == .success)
            #expect(try ledger.bytes(ledger.path("ledger.sqlite.keys")) == before)
        }
        try await due.make()
        #expect(try ledger.bytes(ledger.path("ledger.sqlite.keys")) != before)
    }

    @Test func namesTheFilesThatHaveNoEnvelopeYet() async throws {
        struct Answer: Decodable {
            struct Detail: Decodable { let envelope, envelopeMissing: Bool }
            let detail: Detail?
        }
        let ledger = try Ledger()
        try await ledger.make("ledger_a.sqlite")
        let wrapping = ledger.with(\.protection, .envelope)
        try await wrapping.make("ledger_b.sqlite")
        func missing(_ name: String) async throws -> Bool? {
            let run = try await wrapping.run("status", name, "--json")
            let answer = try run.json(Answer.self)
            return answer.detail?.envelopeMissing
        }
        #expect(try await missing("ledger_a.sqlite") == true)
        #expect(try await missing("ledger_b.sqlite") == false)
        #expect(try await wrapping.run("status", "ledger_a.sqlite").output.contains("no envelope yet, to be rotated"))
        #expect(try await !wrapping.run("status", "ledger_b.sqlite").output.contains("no envelope"))
        let family = try await wrapping.run("status", "--family", "ledger").output
        #expect(family.split(separator: "\n").count { $0.contains("no envelope yet") } == 1, "\(family)")
        let rotated = try await wrapping.run("rotate", "ledger_a.sqlite").output
        #expect(rotated.contains("on key 1 of 1, in an envelope now") && !rotated.contains("to key"), "\(rotated)")
        #expect(try await missing("ledger_a.sqlite") == false)
        #expect(try await wrapping.run("rotate", "ledger_a.sqlite").output.contains("on key 1 of 1 already"))
    }

    @Test func aFileOnALostKeyNeedNotHaveHadAnEnvelope() async throws {
        let ledger = try await Ledger.made()
        let other = ledger.with(\.keys, [Ledger.keys[1]]).with(\.protection, .envelope)
        for command in ["status", "verify", "rotate"] {
            let run = try await other.run(command, "ledger.sqlite")
            #expect(run.status == .configuration)
            #expect(run.errors.contains("never had one") && !run.errors.contains("KeyProtection"), "\(run.errors)")
        }
        let doctor = try await other.run("doctor", "ledger.sqlite")
        #expect(doctor.status == .configuration && doctor.output.contains("no key fits"))
        #expect(!doctor.output.contains("its envelope cannot be used") && !doctor.output.contains("Restore FILE.keys"))
    }

    @Test func leavesTheFileAndItsDirectoryAsTheyAre() async throws {
        let ledger = try await Ledger.made()
        let newer = ledger.with(\.keys, [Ledger.keys[0], Ledger.keys[1]]).with(
            \.versions, 3)
        func state() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: ledger.configuration.directory)
            return try Dictionary(uniqueKeysWithValues: names.map { ($0, try ledger.bytes(ledger.path($0))) })
        }
        let before = try state()
        #expect(try await newer.run("status", "ledger.sqlite").status == .success)
        #expect(try state() == before)
    }

    @Test func tablesOfIndexesAndHistoriesAreNotThoseOfTheUser() async throws {
        let entry = TableSchema(
            "entry", Column<Int64>("id", primaryKey: true), Column<String>("text"),
            history: .keep(), fullText: [FullTextIndex(on: "text")])
        let other = TableSchema("case_history", Column<Int64>("id", primaryKey: true))
        let ledger = try Ledger().with(\.tables, [entry, other])
        try await ledger.make("ledger_a.sqlite", rows: 2)
        let detail = try #require(try await ledger.run("status", "ledger_a.sqlite", "--json").json(Answer.self).detail)
        #expect(detail.tables?.map(\.name) == ["case_history", "entry"])
        let own = try #require(detail.libraryTables)
        #expect(own.contains { $0.name == "entry_history" } && own.contains { $0.name.hasPrefix("strongroom_search_") })
        #expect(own.allSatisfy { $0.rows == nil })
        let text = try await ledger.run("status", "ledger_a.sqlite").output
        #expect(text.contains("Full-text indexes, histories: \(own.count) tables"), "\(text)")
        #expect(!text.contains("entry_history") && !text.contains("strongroom_search"), "\(text)")
        #expect(text.contains("no version: its tables follow their declarations (automatic)"), "\(text)")
        try await ledger.make("ledger_b.sqlite", rows: 1)
        let rows = try await ledger.run("status", "--family", "ledger").output.split(separator: "\n")
        let line = try #require(rows.first { $0.contains("ledger_a.sqlite") })
        #expect(line.split(separator: " ").last == "2", "\(line)")
    }

    @Test func inBriefNoTableIsCounted() async throws {
        let ledger = try await Ledger.made()
        let detail = try #require(
            try await ledger.run("status", "ledger.sqlite", "--brief", "--json").json(Answer.self).detail)
        #expect(detail.tables == nil && detail.schema.version == "2")
        let run = try await ledger.run("status", "ledger.sqlite", "--brief")
        #expect(run.status == .success && run.output.contains("version 2") && !run.output.contains("entry"))
    }

    @Test func ofAFamilyTellsARowEachAndNamesTheBrokenOne() async throws {
        let ledger = try Ledger()
        for name in ["ledger_a.sqlite", "ledger_b.sqlite", "ledger_c.sqlite"] { try await ledger.make(name) }
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: ledger.path("ledger_b.sqlite")))
        let run = try await ledger.run("status", "--family", "ledger")
        #expect(run.status == .configuration)
        for name in ["ledger_a.sqlite", "ledger_b.sqlite", "ledger_c.sqlite"] { #expect(run.output.contains(name)) }
        #expect(run.errors.contains("1 of 3 databases failed: ledger_b.sqlite."))
        let answers = try await ledger.run("status", "--family", "ledger", "--json").lines(Answer.self)
        #expect(answers.filter { $0.status == "failed" }.map(\.database) == ["ledger_b.sqlite"])
        #expect(answers.first { $0.status == "failed" }?.error?.code == "wrongKey")
        // Nobody has one open.
        #expect(!run.output.contains("Open"))
    }

    @Test func aNewerSchemaIsToldAndFails() async throws {
        let ledger = try Ledger().with(\.versions, 3)
        try await ledger.make()
        let run = try await ledger.with(\.versions, 2).fails("status", "ledger.sqlite", with: "newerSchema", .dataError)
        #expect(try run.json(Answer.self).detail?.schema.version == "3")
    }

    @Test(arguments: [["tables"], ["schema"], ["query", "SELECT count(*) FROM entry"], ["export", "entry"]])
    func aNewerSchemaCanBeLookedAt(command: [String]) async throws {
        let ledger = try Ledger().with(\.versions, 3)
        try await ledger.make()
        let run = try await ledger.with(\.versions, 2).run([command[0], "ledger.sqlite"] + command.dropFirst())
        #expect(run.status == .success && !run.output.isEmpty, "\(run.errors)")
    }
}

/// Several databases at once, of which one is given up.
@Suite("A run over several databases", .ending)
struct FamilyRunTests {
    private static let paths = ["/nowhere/ledger_a.sqlite", "/nowhere/ledger_b.sqlite"]

    private func run(
        _ work: @escaping @Sendable (OperatedDatabase) async throws -> FamilyRun<String>.Result
    ) throws -> FamilyRun<String> {
        let databases = try Self.paths.map { try OperatedDatabase($0, path: nil, keys: .plaintext) }
        return FamilyRun(command: "test", databases: databases, limit: 2, work: work)
    }

    /// Goes on until the others are given up, and is done all the same.
    private static let lasting: @Sendable () async -> FamilyRun<String>.Result = {
        while !Task.isCancelled { await Task.yield() }
        return .init(.done, "done")
    }

    @Test func whatIsDoneIsToldAlsoWhenAnotherIsGivenUp() async throws {
        let run = try run { database in
            guard database.path == Self.paths[0] else { throw CancellationError() }
            return await Self.lasting()
        }
        let told = Locked<[String]>([])
        await #expect(throws: CancellationError.self) {
            try await run.run { outcome in
                told.withLock { $0.append("\(outcome.path) \(outcome.error?.code ?? outcome.status.rawValue)") }
            }
        }
        // What was interrupted has a line of its own.
        #expect(told.withLock { $0 } == ["\(Self.paths[1]) cancelled", "\(Self.paths[0]) done"])
    }

    @Test func whatIsDoneIsToldAlsoWhenTellingFails() async throws {
        let run = try run { database in
            guard database.path == Self.paths[0] else { return await Self.lasting() }
            return .init(.done, "done")
        }
        let told = Locked<[String]>([])
        let failure = try await #require(throws: CommandFailure.self) {
            try await run.run { outcome in
                told.withLock { $0.append(outcome.path) }
                throw CommandFailure("report", "The report of \(outcome.path) cannot be written.", .inputOutput)
            }
        }
        #expect(told.withLock { $0 } == Self.paths)
        // The first failure is the one to tell.
        #expect(failure.message.contains(Self.paths[0]))
    }
}

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
            try await ledger.fails(arguments, with: "noSuchTable", .usage)
        }
    }

    @Test(arguments: [("selec", "sql"), ("DELETE FROM entry", "readOnly"), ("ATTACH 'x' AS y", "notAuthorized")])
    func aStatementThatCannotBeRunIsWrongUsage(sql: String, code: String) async throws {
        for arguments in [["query", "ledger.sqlite", sql], ["export", "ledger.sqlite", "--query", sql]] {
            try await ledger.fails(arguments, with: code, .usage)
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
