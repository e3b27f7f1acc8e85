import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct RotateCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable { let method: String, fromKey: Int?, toKey: Int }

        let command: String
        let database: String
        let path: String
        let status: String
        let summary: String
        let detail: Detail?
        let error: Ledger.Failure?
        let milliseconds: Double
    }

    private static let newKeys: [Key] = [Ledger.keys[0], Ledger.keys[1]]

    @Test func bringsAFileToTheNewestKeyAndSkipsItTheSecondTime() async throws {
        let ledger = try await Ledger.made(rows: 9)
        let newer = ledger.with(\.keys, Self.newKeys)
        let first = try await newer.run("rotate", "ledger.sqlite", "--json")
        #expect(first.status == .success)
        let answer = try first.json(Answer.self)
        #expect(answer.status == "done" && answer.command == "rotate")
        #expect(answer.detail?.fromKey == 1 && answer.detail?.toKey == 2)
        #expect(try await newer.run("rotate", "ledger.sqlite", "--json").json(Answer.self).status == "skipped")
        #expect(try await newer.with(\.keys, [Ledger.keys[1]]).rows() == 9)
    }

    #if os(Linux)
    @Test func whatAnotherProcessHasOpenIsRotatedOnlyOnRequest() async throws {
        let ledger = try await Ledger.made()
        let holder = Process()
        holder.executableURL = URL(filePath: "/bin/sleep")
        holder.arguments = ["600"]
        let file = try FileHandle(forReadingFrom: URL(filePath: ledger.path()))
        holder.standardInput = file
        try holder.run()
        try file.close()
        defer { kill(holder.processIdentifier, SIGKILL) }
        let newer = ledger.with(\.keys, Self.newKeys)
        let plan = try await newer.run("rotate", "ledger.sqlite", "--dry-run", "--json")
        #expect(plan.output.contains(#""needsInUse":true"#) && plan.output.contains("without --in-use"), "\(plan)")
        let refused = try await newer.fails("rotate", "ledger.sqlite", with: "inUse", .temporaryFailure)
        #expect(try refused.failure().message.contains("process \(holder.processIdentifier)"))
        let rotated = try await newer.run("rotate", "ledger.sqlite", "--in-use", "--json")
        #expect(rotated.status == .success, "\(rotated.errors)")
        // Where nothing is rewritten, nothing is refused.
        #expect(try await newer.run("rotate", "ledger.sqlite", "--json").status == .success)
    }
    #endif

    @Test func doesNotMigrate() async throws {
        let ledger = try await Ledger.made()
        let newer = ledger.with(\.keys, Self.newKeys).with(\.versions, 3)
        _ = try await newer.run("rotate", "ledger.sqlite")
        let status = try await newer.run("status", "ledger.sqlite", "--json").json(StatusCommandTests.Answer.self)
        #expect(status.detail?.schema.version == "2")
    }

    @Test(arguments: [1, 4])
    func aFamilyGoesOnBesideABrokenFile(limit: Int) async throws {
        let ledger = try Ledger()
        let names = (1...5).map { "ledger_\($0).sqlite" }
        for name in names { try await ledger.make(name) }
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: ledger.path(names[2])))
        let newer = ledger.with(\.keys, Self.newKeys)
        let report = ledger.directory.path("report.jsonl")
        let run = try await newer.run(
            "rotate", "--family", "ledger", "--at-most", "\(limit)", "--report", report)
        #expect(run.status == .configuration)
        #expect(run.output.contains("5 databases: 4 done, 1 failed"))
        #expect(run.errors.contains(names[2]))
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Answer.self, from: Data($0.utf8))
        }
        #expect(Set(lines.map(\.database)) == Set(names))
        #expect(lines.filter { $0.status == "failed" }.map(\.database) == [names[2]])
        for name in names where name != names[2] {
            #expect(try await newer.with(\.keys, [Ledger.keys[1]]).rows(name) == 3)
        }
        let second = try await newer.run("rotate", "--family", "ledger")
        #expect(second.output.contains("5 databases: 4 skipped, 1 failed"))
    }

    @Test func aPlaintextFileIsRefusedWithTheWayOut() async throws {
        let ledger = try Ledger(keys: [])
        try await ledger.makePlaintext()
        let run = try await ledger.with(\.keys, Self.newKeys).fails(
            "rotate", "ledger.sqlite", with: "plaintextFile", .configuration)
        #expect(try run.failure().message.contains("convert"))
    }

    @Test func aPlaintextFileIsEncryptedWhereTheChainSaysSo() async throws {
        let ledger = try Ledger(keys: [.plaintext, Ledger.keys[1]])
        try await ledger.makePlaintext()
        #expect(try await ledger.run("rotate", "ledger.sqlite", "--json").json(Answer.self).status == "done")
        #expect(try await ledger.with(\.keys, [Ledger.keys[1]]).rows() == 2)
    }

    @Test func convertEncryptsPlaintextOnce() async throws {
        let ledger = try Ledger(keys: [])
        try await ledger.makePlaintext()
        let encrypted = ledger.with(\.keys, [Ledger.keys[1]])
        let first = try await encrypted.run("convert", "ledger.sqlite", "--json")
        #expect(first.status == .success)
        let answer = try first.json(Answer.self)
        #expect(answer.status == "done")
        #expect(answer.detail?.fromKey == nil || answer.detail?.fromKey == 0)
        #expect(answer.detail?.toKey == 1)
        #expect(try await encrypted.rows() == 2)
        #expect(try await encrypted.run("convert", "ledger.sqlite", "--json").json(Answer.self).status == "skipped")
    }

    @Test func convertGoesThroughAFamilyAndSkipsWhatIsDone() async throws {
        let ledger = try Ledger()
        let names = ["ledger_a.sqlite", "ledger_b.sqlite", "ledger_c.sqlite"]
        for name in names.prefix(2) { try await ledger.makePlaintext(name) }
        try await ledger.make(names[2])
        let run = try await ledger.run("convert", "--family", "ledger", "--at-most", "2", "--json")
        #expect(run.status == .success, "\(run.errors)")
        let answers = try run.lines(Answer.self).sorted { $0.database < $1.database }
        #expect(answers.map(\.database) == names && answers.map(\.status) == ["done", "done", "skipped"])
        for name in names { #expect(try await ledger.rows(name) == (name == names[2] ? 3 : 2)) }
        let again = try await ledger.run("convert", "--family", "ledger")
        #expect(again.output.contains("3 databases: 3 skipped"))
    }

    @Test(
        .enabled(if: try CipherSettings.engineDefault() != .sqlCipher3, "The engine's own form is that of version 3."))
    func convertBringsTheFormOfSQLCipher3ToTheEnginesOwn() async throws {
        let ledger = try Ledger()
        try await ledger.makeOfSQLCipher3()
        let keys = try ledger.keyFile(Ledger.passphrases[0])
        let answer = try await ledger.run("convert", ledger.path(), "--key-file", keys, "--json").json(Answer.self)
        #expect(answer.status == "done")
        #expect(answer.summary.contains("SQLCipher 3 to SQLCipher 4"))
        let again = try await ledger.run("convert", ledger.path(), "--key-file", keys, "--json").json(Answer.self)
        #expect(again.status == "skipped")
    }
}

extension Ledger {
    /// Makes a file with the settings that SQLCipher 3 takes.
    func makeOfSQLCipher3() async throws {
        let stores = try Stores(OldLedger(directory: configuration.directory))
        let store = try await stores.open("ledger.sqlite")
        try await store.write { db in try db.execute("CREATE TABLE entry (text)") }
        try await store.close()
    }
}

private struct OldLedger: Configuration {
    static let target = "ledger"
    let directory: String

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase(Ledger.passphrases[0])) }
    func cipherSettings(for database: DatabaseName) -> [CipherSettings] { [.sqlCipher3] }
}

struct ReindexCommandTests {
    private struct Answer: Decodable {
        struct Detail: Decodable { let indexes: [String] }

        let status: String
        let detail: Detail?
    }

    @Test func anIndexThatDiffersIsCreatedAnew() async throws {
        let ledger = try await Ledger.made()
        #expect(try await ledger.run("reindex", "ledger.sqlite", "--json").json(Answer.self).status == "skipped")
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        try await store.write { db throws in
            try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT)")
            try db.execute("INSERT INTO note (title) VALUES ('alpha')")
            let schema = TableSchema(
                "note", Column<Int64>("id", primaryKey: true), Column<String>("title"),
                fullText: [FullTextIndex(on: "title")])
            try db.keepFullText(of: schema)
            try db.execute("DELETE FROM `strongroom_search_note.text`")
        }
        try await store.close()
        let verified = try await ledger.run("verify", "ledger.sqlite")
        #expect(verified.status == .failure)
        #expect(verified.errors.contains("reindex") || verified.output.contains("reindex"))
        let answer = try await ledger.run("reindex", "ledger.sqlite", "--json").json(Answer.self)
        #expect(answer.status == "done")
        #expect(answer.detail?.indexes == ["strongroom_search_note.text"])
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
        #expect(try await ledger.run("reindex", "ledger.sqlite").output.contains("1 full-text index created"))
    }

    @Test func importedRowsAreIndexed() async throws {
        let ledger = try await Ledger.made()
        let schema = TableSchema(
            "note", Column<Int64>("id", primaryKey: true), Column<String>("title"),
            fullText: [FullTextIndex(on: "title")])
        let file = ledger.directory.path("notes.csv")
        try Data("id,title\n1,alpha beta\n2,gamma\n1,delta\n".utf8).write(to: URL(filePath: file))
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        try await store.write { db in try db.createTable(schema) }
        try await store.close()
        let refused = try await ledger.run("import", "ledger.sqlite", "note", file)
        #expect(refused.status != .success)
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
        try Data("id,title\n1,alpha beta\n2,gamma\n".utf8).write(to: URL(filePath: file))
        #expect(try await ledger.run("import", "ledger.sqlite", "note", file).status == .success)
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
        let index = "`strongroom_search_note.text`"
        let found = try await ledger.run(
            "query", "ledger.sqlite", "SELECT rowid FROM \(index) WHERE \(index) MATCH 'gamma'", "--csv")
        #expect(found.output.contains("2"), "\(found.output) \(found.errors)")
    }
}

struct MigrateCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable {
            let from: String?
            let to: String?
            let applied: [String]
            let undone: [String]
            let schemaChanges: [String]
        }

        let database: String
        let status: String
        let summary: String
        let detail: Detail?
    }

    private let old: Ledger
    private var newer: Ledger { old.with(\.versions, 3) }

    init() async throws {
        old = try Ledger()
        try await old.make()
    }

    @Test func bringsADatabaseToTheNewestVersionOnce() async throws {
        let answer = try await newer.run("migrate", "ledger.sqlite", "--json").json(Answer.self)
        #expect(answer.status == "done")
        #expect(answer.detail?.from == "2" && answer.detail?.to == "3" && answer.detail?.applied == ["3"])
        #expect(try await newer.run("migrate", "ledger.sqlite", "--json").json(Answer.self).status == "skipped")
        #expect(try await newer.rows() == 3)
    }

    @Test func goesThroughAFamilyAndSkipsWhatIsDone() async throws {
        try await newer.make("ledger_b.sqlite")
        try await old.make("ledger_c.sqlite")
        let run = try await newer.run("migrate", "--family", "ledger", "--at-most", "2", "--json")
        #expect(run.status == .success, "\(run.errors)")
        let answers = try run.lines(Answer.self).sorted { $0.database < $1.database }
        #expect(answers.map(\.database) == ["ledger.sqlite", "ledger_b.sqlite", "ledger_c.sqlite"])
        #expect(answers.map(\.status) == ["done", "skipped", "done"])
        #expect(answers.compactMap { $0.detail?.to } == ["3", "3"])
        let back = try await newer.run("migrate", "--family", "ledger", "--to", "1")
        #expect(back.output.contains("3 databases: 3 done"), "\(back.output)")
    }

    @Test func goesBackOnPurpose() async throws {
        let answer = try await old.run("migrate", "ledger.sqlite", "--to", "1", "--json").json(Answer.self)
        #expect(answer.detail?.undone == ["2"])
        #expect(answer.summary.contains("back"))
    }

    @Test func aDryRunTellsAndChangesNothing() async throws {
        let before = try old.bytes(old.path())
        let run = try await newer.run("migrate", "ledger.sqlite", "--dry-run", "--json")
        #expect(run.status == .success)
        let answer = try run.json(Answer.self)
        #expect(answer.summary == "would go from version 2 to 3")
        #expect(answer.detail?.schemaChanges.contains { $0.contains("tag") } == true)
        #expect(try old.bytes(old.path()) == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: old.configuration.directory)
        #expect(!files.contains { $0.hasSuffix(".trial") })
    }

    @Test func aVersionThatIsNotThereIsNamedAsSuch() async throws {
        try await newer.fails("migrate", "ledger.sqlite", "--to", "9", with: "invalidArgument", .usage)
    }

    @Test func aDatabaseOfANewerProgramIsRefused() async throws {
        _ = try await newer.run("migrate", "ledger.sqlite")
        try await old.fails("migrate", "ledger.sqlite", with: "newerSchema", .dataError)
    }

    @Test func aFileWithoutAConfigurationCannotBeMigrated() async throws {
        let keys = try old.keyFile(Ledger.secrets[0])
        try await old.fails("migrate", old.path(), "--key-file", keys, with: "noConfiguration", .configuration)
    }

    @Test func aCopyElsewhereIsMigratedWithItsConfiguration() async throws {
        let copy = old.directory.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: old.path(), toPath: copy)
        let run = try await newer.run("migrate", "ledger.sqlite", "--path", copy, "--json")
        #expect(try run.json(Answer.self).status == "done")
        let own = try await newer.run("status", "ledger.sqlite", "--json").json(StatusCommandTests.Answer.self)
        #expect(own.detail?.schema.version == "2")
    }
}

@Suite("convert")
struct ConvertCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable { let plaintextLeft: Bool? }

        let status: String
        let message: String?
        let detail: Detail?
    }

    /// A database that was encrypted, beside the plaintext of it, as a conversion leaves it that was killed after the
    /// new file had its name.
    private func interrupted() async throws -> (ledger: Ledger, left: String) {
        let ledger = try Ledger()
        try await ledger.makePlaintext()
        let left = ledger.path(".ledger.sqlite.plaintext")
        let plaintext = try ledger.bytes(ledger.path())
        #expect(try await ledger.run("convert", "ledger.sqlite").status == .success)
        try plaintext.write(to: URL(filePath: left))
        return (ledger, left)
    }

    @Test func whatAKilledRunHasLeftIsFinishedAndSaid() async throws {
        let (ledger, left) = try await interrupted()
        // Still open here, so that what became of its bytes can be read when its name is gone.
        let handle = try #require(FileHandle(forReadingAtPath: left))
        let run = try await ledger.run("convert", "ledger.sqlite")
        #expect(run.status == .success)
        #expect(run.output.contains("done") && run.output.contains("plaintext"), "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(try (handle.readToEnd() ?? Data()).allSatisfy { $0 == 0 })
        let again = try await ledger.run("convert", "ledger.sqlite")
        #expect(again.output.contains("already encrypted"), "\(again.output)")
    }

    @Test func statusAndDoctorNameIt() async throws {
        let (ledger, left) = try await interrupted()
        let status = try await ledger.run("status", "ledger.sqlite")
        #expect(status.output.contains(left) && status.output.contains("convert"), "\(status.output)")
        let json = try await ledger.run("status", "ledger.sqlite", "--json")
        #expect(try json.json(Answer.self).detail?.plaintextLeft == true)
        try await ledger.make("ledger_other.sqlite")
        let table = try await ledger.run("status", "ledger.sqlite", "ledger_other.sqlite")
        #expect(table.output.contains("convert"), "\(table.output)")
        for name in ["ledger.sqlite", ledger.path()] {
            let keys = name == "ledger.sqlite" ? [] : ["--key-file", try ledger.keyFile(Ledger.secrets[0])]
            let doctor = try await ledger.run(["doctor", name] + keys)
            #expect(doctor.output.contains(left) && doctor.output.contains("convert"), "\(doctor.output)")
        }
        #expect(FileManager.default.fileExists(atPath: left))
        let other = try await ledger.run("status", "ledger_other.sqlite", "--json")
        #expect(try other.json(Answer.self).detail?.plaintextLeft == false)
    }

    @Test func afterAFailureTheFileIsAsItWas() async throws {
        let ledger = try Ledger()
        try await ledger.makePlaintext()
        // Not in WAL mode, as another program's file.
        var bytes = try ledger.bytes(ledger.path())
        (bytes[18], bytes[19]) = (1, 1)
        try bytes.write(to: URL(filePath: ledger.path()))
        try FileManager.default.linkItem(atPath: ledger.path(), toPath: ledger.path("other name"))
        let run = try await ledger.run("convert", "ledger.sqlite")
        #expect(run.status != .success && (run.output + run.errors).contains("hard"), "\(run)")
        #expect(try ledger.bytes(ledger.path()) == bytes)
        try FileManager.default.removeItem(atPath: ledger.path("other name"))
        #expect(try await ledger.run("convert", "ledger.sqlite").status == .success)
        #expect(try ledger.bytes(ledger.path()).prefix(15) != bytes.prefix(15))
    }
}
