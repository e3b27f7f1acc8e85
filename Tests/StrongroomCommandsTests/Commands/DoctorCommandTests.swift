import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct DoctorCommandTests {
    struct Answer: Decodable {
        struct Page: Decodable { let number: Int }

        let finding: String
        let advice: String
        let key: Int?
        let keyCount: Int?
        let damagedPages: [Page]
        let missingPages: Int
        let version: String?
    }

    private func doctor(_ ledger: Ledger, _ arguments: [String]) async throws -> (StrongroomCommands.ExitStatus, Answer)
    {
        let run = try await ledger.run(["doctor"] + arguments + ["--json"])
        // The report tells it; there is no second telling.
        #expect(run.errors.isEmpty)
        return (run.status, try run.json(Answer.self))
    }

    @Test func aWholeFileIsWhole() async throws {
        let ledger = try await Ledger.made()
        let keys = try ledger.keyFile(Ledger.secrets[0], Ledger.secrets[1])
        let (status, answer) = try await doctor(ledger, [ledger.path(), "--key-file", keys])
        #expect(status == .success && answer.finding == "intact")
        #expect(answer.key == 1 && answer.keyCount == 2 && answer.version == "2")
    }

    @Test func aTypedKeyIsTried() async throws {
        let ledger = try await Ledger.made()
        let run = try await ledger.run("doctor", ledger.path(), typed: Ledger.secrets[0])
        #expect(run.status == .success && run.output.contains("intact"))
    }

    @Test func aKeyThatIsMissingOrWrongIsTold() async throws {
        let ledger = try await Ledger.made()
        let (status, answer) = try await doctor(ledger, [ledger.path()])
        #expect(status == .configuration && answer.finding == "keyless" && answer.advice.contains("--key-file"))
        let keys = try ledger.keyFile(Ledger.secrets[2])
        let wrong = try await doctor(ledger, [ledger.path(), "--key-file", keys])
        #expect(wrong.0 == .configuration && wrong.1.finding == "wrongKey")
    }

    @Test func damagedPagesAreNumbered() async throws {
        let ledger = try await Ledger.made(rows: 2_000)
        try ledger.damage(page: 3)
        try ledger.damage(page: 5)
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "damaged")
        #expect(answer.damagedPages.map(\.number) == [3, 5])
        let text = try await ledger.run("doctor", "ledger.sqlite").output
        #expect(text.contains("page 3") && text.contains("page 5") && text.contains("Next:"))
    }

    @Test func aFileThatWasCutOffIsTold() async throws {
        let ledger = try await Ledger.made(rows: 2_000)
        let size = try CipherSettings.engineDefault().pageSize
        try ledger.bytes(ledger.path()).dropLast(2 * size).write(to: URL(filePath: ledger.path()))
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "truncated" && answer.missingPages == 2)
    }

    @Test func aNewerSchemaIsTold() async throws {
        let ledger = try Ledger().with(\.versions, 3)
        try await ledger.make()
        let (status, answer) = try await doctor(ledger.with(\.versions, 2), ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "newerSchema" && answer.version == "3")
    }

    @Test(
        arguments: [
            (nil, "absent", StrongroomCommands.ExitStatus.noInput), (Data(), "empty", .dataError),
            (Data("SQLite format 3\0 and little more".utf8), "truncated", .dataError),
            (Data(repeating: 7, count: 40), "tooShort", .dataError),
        ] as [(Data?, String, StrongroomCommands.ExitStatus)])
    func whatIsNoDatabaseIsTold(content: Data?, finding: String, expected: StrongroomCommands.ExitStatus) async throws {
        let ledger = try Ledger()
        let path = ledger.directory.path("strange.sqlite")
        try content?.write(to: URL(filePath: path))
        let (status, answer) = try await doctor(ledger, [path])
        #expect(status == expected && answer.finding == finding)
        // What `restore` does not replace is moved away first.
        #expect(answer.advice.contains("move it to another directory") == (content != nil))
        #expect(FileManager.default.fileExists(atPath: path) == (content != nil))
    }

    @Test func whatIsEncryptedBehindAPlaintextHeaderIsLeftAsItIs() async throws {
        let ledger = try Ledger()
        let directory = URL(filePath: ledger.path()).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // Pages of 1,024 bytes of which 80 are the engine's; what follows the 32 bytes is random.
        var bytes = Array("SQLite format 3\0".utf8) + [4, 0, 1, 1, 80, 64, 32, 32, 0, 0, 0, 3, 0, 0, 0, 2]
        var generator = SeededGenerator(7)
        bytes += (bytes.count..<2_048).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try Data(bytes).write(to: URL(filePath: ledger.path()))
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "plaintextHeader")
        #expect(answer.advice.contains("cipher_plaintext_header_size"))
        for command in ["convert", "rotate", "status", "verify", "migrate"] {
            let run = try await ledger.run(command, "ledger.sqlite", "--json")
            #expect(run.status == .dataError, "\(command)")
            #expect((run.output + run.errors).contains("plaintextHeader"), "\(command)")
            #expect(try ledger.bytes(ledger.path()) == Data(bytes), "\(command)")
        }
    }

    @Test func aBareNameThatNobodyHasIsNoFile() async throws {
        let ledger = try Ledger()
        for name in ["unknown_\(UInt32.random(in: 0...UInt32.max)).sqlite", "_no.name", "keys.keys"] {
            let (status, answer) = try await doctor(ledger, [name])
            #expect(status == .noInput && answer.finding == "absent", "\(name)")
        }
    }

    @Test func aLinkInThePlaceOfTheLogIsNamed() async throws {
        let ledger = try await Ledger.made()
        let log = ledger.path() + "-wal"
        try? FileManager.default.removeItem(atPath: log)
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: ledger.directory.path("none"))
        let (status, answer) = try await doctor(ledger, ["ledger.sqlite"])
        #expect(status == .dataError && answer.finding == "sideFile")
        let text = try await ledger.run("doctor", "ledger.sqlite").output
        #expect(text.contains("\"\(log)\" is a symbolic link") && !text.contains("Give the path of a file"), "\(text)")
        #expect(try await ledger.run("query", "ledger.sqlite", "SELECT 1").status == .dataError)
    }

    @Test func noProcessHasADeviceOpen() async throws {
        let run = try await Ledger().run("doctor", "/dev/null")
        #expect(run.status == .noInput && !run.output.contains("Open in") && !run.output.contains("Danger"))
    }

    @Test func aDirectoryIsNoFile() async throws {
        let ledger = try Ledger()
        let (status, answer) = try await doctor(ledger, [ledger.directory.path("")])
        #expect(status == .noInput && answer.finding == "notAFile")
    }
}

struct VerifyCommandTests {
    struct Answer: Decodable {
        struct Detail: Decodable {
            struct Page: Decodable { let number: Int, description: String }

            let intact: Bool
            let pages: Int
            let damagedPages: [Page]
        }

        let database: String
        let status: String
        let detail: Detail?
        let error: Ledger.Failure?
    }

    @Test func aWholeDatabaseIsWhole() async throws {
        let ledger = try await Ledger.made()
        let run = try await ledger.run("verify", "ledger.sqlite", "--json")
        #expect(run.status == .success)
        let detail = try #require(try run.json(Answer.self).detail)
        #expect(detail.intact && detail.pages > 1 && detail.damagedPages.isEmpty)
        #expect(try await ledger.run("verify", "ledger.sqlite").output.contains("intact"))
    }

    @Test func damageIsExitCodeOneAndNamesThePage() async throws {
        let ledger = try await Ledger.made(rows: 2_000)
        try ledger.damage(page: 8)
        let run = try await ledger.fails("verify", "ledger.sqlite", with: "damaged", .failure)
        let answer = try run.json(Answer.self)
        #expect(answer.detail?.damagedPages.map(\.number) == [8])
    }

    /// The engine refuses to read it at all; the pages say what is damaged.
    @Test func aDamagedSchemaIsNamedWithWhatHelps() async throws {
        struct Found: Decodable {
            struct Page: Decodable { let number: Int, description: String }
            let damagedPages: [Page]
        }
        let ledger = try Ledger(keys: [.raw([UInt8](repeating: 5, count: 32))])
        try await ledger.make()
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        let long = String(repeating: "x", count: 20_000)
        try await store.write { db in
            try db.execute(SQL(stringLiteral: "CREATE TABLE wide (text TEXT DEFAULT '\(long)')"))
        }
        try await store.close()
        let whole = try ledger.bytes(ledger.path())
        var pages: [Int] = []
        let count = try whole.count / CipherSettings.engineDefault().pageSize
        for page in 2...count {
            try ledger.damage(page: page)
            let found = try await ledger.run("doctor", "ledger.sqlite", "--json").json(Found.self).damagedPages
            if found.map(\.description) == ["page \(page) of the schema"] { pages = found.map(\.number) }
            if !pages.isEmpty || found.isEmpty { break }
            try whole.write(to: URL(filePath: ledger.path()))
        }
        #expect(pages.count == 1)
        let doctor = try await ledger.run("doctor", "ledger.sqlite", "--json").json(DoctorCommandTests.Answer.self)
        #expect(doctor.advice.contains("schema") && !doctor.advice.contains("`salvage FILE"))
        let run = try await ledger.run("verify", "ledger.sqlite")
        #expect(run.status == .failure, "\(run.errors)")
        #expect(run.errors.contains("of the schema") && !run.errors.contains("`verify`"), "\(run.errors)")
        #expect(run.errors.contains("Restore it from a backup: a page of the schema is damaged"), "\(run.errors)")
    }

    @Test func goesOnFromAReport() async throws {
        let ledger = try Ledger()
        for name in ["ledger_a.sqlite", "ledger_b.sqlite", "ledger_c.sqlite"] { try await ledger.make(name) }
        let report = ledger.directory.path("report.jsonl")
        // What a killed run leaves behind: one line whole, one cut off.
        let path = ledger.path("ledger_a.sqlite")
        let line = #"{"command":"verify","database":"ledger_a.sqlite","path":"\#(path)","status":"done"}"#
        try Data("\(line)\n{\"command\":\"ver".utf8).write(to: URL(filePath: report))
        let run = try await ledger.run("verify", "--family", "ledger", "--report", report, "--resume", "--json")
        #expect(run.status == .success)
        let answers = try run.lines(Answer.self)
        #expect(answers.filter { $0.status == "skipped" }.map(\.database) == ["ledger_a.sqlite"])
        #expect(answers.count { $0.status == "done" } == 2)
        let again = try await ledger.run("verify", "--family", "ledger", "--report", report, "--resume", "--json")
        #expect(try again.lines(Answer.self).allSatisfy { $0.status == "skipped" })
        // Without it everything is verified, and of the earlier lines only the times are kept: the killed run has none.
        let anew = try await ledger.run("verify", "--family", "ledger", "--report", report, "--json")
        #expect(try anew.lines(Answer.self).allSatisfy { $0.status == "done" })
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 5 && lines.prefix(2).allSatisfy { $0.contains(#""status":"pending""#) }, "\(lines)")
    }

    /// An index that was written wrongly is found by the engine's check alone.
    @Test func onlyPagesAreNoVerification() async throws {
        let ledger = try await Ledger.made()
        let report = ledger.directory.path("report.jsonl")
        func verify(_ flags: String...) async throws -> [String] {
            let arguments = ["verify", "--family", "ledger", "--report", report, "--json"] + flags
            return try await ledger.run(arguments).lines(Answer.self).map(\.status)
        }
        #expect(try await verify("--pages-only") == ["done"])
        #expect(try await verify("--pages-only", "--resume") == ["skipped"])
        #expect(try await verify("--resume") == ["done"])
    }

    @Test func aReportDoesNotOverwriteSomethingElse() async throws {
        let ledger = try await Ledger.made()
        let before = try ledger.bytes(ledger.path())
        try await ledger.fails("verify", "ledger.sqlite", "--report", ledger.path(), with: "report", .usage)
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test(arguments: ["{\"precious\":1}\n", "{", "[]\n"])
    func aReportDoesNotOverwriteOtherJSON(text: String) async throws {
        let ledger = try await Ledger.made()
        let path = ledger.directory.path("settings.json")
        try Data(text.utf8).write(to: URL(filePath: path))
        try await ledger.fails("verify", "ledger.sqlite", "--report", path, with: "report")
        #expect(try ledger.bytes(path) == Data(text.utf8))
    }

    @Test func aFamilyThatHasNoDatabaseIsToldSo() async throws {
        let ledger = try Ledger()
        try await ledger.fails("verify", "--family", "ledger", with: "noDatabases", .noInput)
    }
}

extension Ledger {
    /// Changes a byte in the middle of a page.
    func damage(page: Int, of name: String = "ledger.sqlite") throws {
        var content = try bytes(path(name))
        let size = try CipherSettings.engineDefault().pageSize
        content[(page - 1) * size + size / 2] ^= 1
        try content.write(to: URL(filePath: path(name)))
    }
}

struct RecoverCommandTests {
    struct Answer: Decodable {
        let damaged: Bool
        let damagedFrame: Int?
        let commitsKept: Int
        let commitsLost: Int
        let damagedLog: String?
    }

    /// A database as a killed program leaves it, with four transactions in its log.
    private func interrupted(damaged: Bool) async throws -> Ledger {
        let ledger = try await Ledger.made()
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        for number in 0..<4 {
            try await store.write { db in try db.execute("INSERT INTO entry (text) VALUES (\("later \(number)"))") }
        }
        let parts = try ["", "-wal"].map { ending in (ending, try ledger.bytes(ledger.path() + ending)) }
        try await store.close()
        for (ending, bytes) in parts {
            var bytes = bytes
            // In the first frame.
            if damaged, ending == "-wal" { bytes[100] ^= 1 }
            try bytes.write(to: URL(filePath: ledger.path() + ending))
        }
        return ledger
    }

    @Test func changesNothingUnlessItIsTold() async throws {
        let ledger = try await interrupted(damaged: true)
        let before = try ["", "-wal"].map { try ledger.bytes(ledger.path() + $0) }
        for command in ["verify", "status", "tables"] {
            let run = try await ledger.run(command, "ledger.sqlite", "--json")
            #expect(run.status == .dataError, "\(command)")
            #expect(run.errors.contains("damagedLog") || run.output.contains("damagedLog"))
        }
        let doctor = try await ledger.run("doctor", "ledger.sqlite")
        #expect(doctor.status == .dataError && doctor.output.contains("recover NAME --to-last-sound-commit"))
        let run = try await ledger.run("recover", "ledger.sqlite", "--json")
        #expect(run.status == .dataError)
        let answer = try run.json(Answer.self)
        #expect(answer.damaged && answer.damagedFrame == 1 && answer.commitsKept == 0 && answer.commitsLost == 4)
        #expect(answer.damagedLog == nil)
        let text = try await ledger.run("recover", "ledger.sqlite")
        #expect(text.output.contains("frame 1") && text.output.contains("--to-last-sound-commit"))
        #expect(try ["", "-wal"].map { try ledger.bytes(ledger.path() + $0) } == before)
    }

    @Test func givesUpWhatLiesBehindTheDamageAndKeepsTheLog() async throws {
        let ledger = try await interrupted(damaged: true)
        let log = try ledger.bytes(ledger.path() + "-wal")
        let run = try await ledger.run("recover", "ledger.sqlite", "--to-last-sound-commit")
        #expect(run.status == .success)
        #expect(run.output.contains(ledger.path() + "-wal.damaged"))
        #expect(try ledger.bytes(ledger.path() + "-wal.damaged") == log)
        #expect(try await ledger.rows() == 3)
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
    }

    @Test func aSoundLogStaysAsItIs() async throws {
        let ledger = try await interrupted(damaged: false)
        let run = try await ledger.run("recover", "ledger.sqlite", "--to-last-sound-commit", "--json")
        #expect(run.status == .success)
        #expect(try !run.json(Answer.self).damaged)
        #expect(try await ledger.rows() == 7)
    }
}
