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

    private static let newKeys: [Key] = [.passphrase(Ledger.secrets[0]), .passphrase(Ledger.secrets[1])]

    @Test func bringsAFileToTheNewestKeyAndSkipsItTheSecondTime() async throws {
        let ledger = try Ledger()
        try await ledger.make(rows: 9)
        let newer = ledger.with(\.keys, Self.newKeys)
        let first = try await newer.run("rotate", "ledger.sqlite", "--json")
        #expect(first.status == .success)
        let answer = try first.json(Answer.self)
        #expect(answer.status == "done" && answer.command == "rotate")
        #expect(answer.detail?.fromKey == 1 && answer.detail?.toKey == 2)
        #expect(try await newer.run("rotate", "ledger.sqlite", "--json").json(Answer.self).status == "skipped")
        #expect(try await newer.with(\.keys, [.passphrase(Ledger.secrets[1])]).rows() == 9)
    }

    #if os(Linux)
    @Test func whatAnotherProcessHasOpenIsRotatedOnlyOnRequest() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let holder = Process()
        holder.executableURL = URL(filePath: "/bin/sleep")
        holder.arguments = ["600"]
        let file = try FileHandle(forReadingFrom: URL(filePath: ledger.path()))
        holder.standardInput = file
        try holder.run()
        try file.close()
        defer { kill(holder.processIdentifier, SIGKILL) }
        let newer = ledger.with(\.keys, Self.newKeys)
        let refused = try await newer.run("rotate", "ledger.sqlite", "--json")
        #expect(refused.status == .temporaryFailure)
        #expect(try refused.failure().code == "inUse")
        #expect(try refused.failure().message.contains("process \(holder.processIdentifier)"))
        let rotated = try await newer.run("rotate", "ledger.sqlite", "--in-use", "--json")
        #expect(rotated.status == .success, "\(rotated.errors)")
        // Where nothing is rewritten, nothing is refused.
        #expect(try await newer.run("rotate", "ledger.sqlite", "--json").status == .success)
    }
    #endif

    @Test func doesNotMigrate() async throws {
        let ledger = try Ledger()
        try await ledger.make()
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
        #expect(run.status == .failure)
        #expect(run.output.contains("5 databases: 4 done, 1 failed"))
        #expect(run.errors.contains(names[2]))
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Answer.self, from: Data($0.utf8))
        }
        #expect(Set(lines.map(\.database)) == Set(names))
        #expect(lines.filter { $0.status == "failed" }.map(\.database) == [names[2]])
        for name in names where name != names[2] {
            #expect(try await newer.with(\.keys, [.passphrase(Ledger.secrets[1])]).rows(name) == 3)
        }
        let second = try await newer.run("rotate", "--family", "ledger")
        #expect(second.output.contains("5 databases: 4 skipped, 1 failed"))
    }

    @Test func aPlaintextFileIsRefusedWithTheWayOut() async throws {
        let ledger = try Ledger(keys: [])
        try await ledger.makePlaintext()
        let run = try await ledger.with(\.keys, Self.newKeys).run("rotate", "ledger.sqlite", "--json")
        #expect(run.status == .configuration)
        #expect(try run.failure().code == "plaintextFile")
        #expect(try run.failure().message.contains("convert"))
    }

    @Test func aPlaintextFileIsEncryptedWhereTheChainSaysSo() async throws {
        let ledger = try Ledger(keys: [.plaintext, .passphrase(Ledger.secrets[1])])
        try await ledger.makePlaintext()
        #expect(try await ledger.run("rotate", "ledger.sqlite", "--json").json(Answer.self).status == "done")
        #expect(try await ledger.with(\.keys, [.passphrase(Ledger.secrets[1])]).rows() == 2)
    }

    @Test func convertEncryptsPlaintextOnce() async throws {
        let ledger = try Ledger(keys: [])
        try await ledger.makePlaintext()
        let encrypted = ledger.with(\.keys, [.passphrase(Ledger.secrets[1])])
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
        let keys = try ledger.keyFile(Ledger.secrets[0])
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
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase(Ledger.secrets[0])) }
    func cipherSettings(for database: DatabaseName) -> [CipherSettings] { [.sqlCipher3] }
}
