import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Exit codes as they are documented", .ending)
struct ExitCodeTests {
    @Test func `a row that a constraint refuses is 65`() async throws {
        let ledger = try await Ledger.made()
        try await ledger.fails(
            "query", "ledger.sqlite", "INSERT INTO entry (id) VALUES (1)", "--write", with: "constraint", .dataError)
    }

    @Test func `a database that is restored from itself is wrong usage`() async throws {
        let ledger = try await Ledger.made()
        try await ledger.fails("restore", ledger.path(), "ledger.sqlite", "--force", with: "alreadyOpen", .usage)
        #expect(try await ledger.rows() == 3)
    }

    #if !S3
    @Test func `a bucket is 78 for a tool without a client for S3`() async throws {
        let ledger = try await Ledger.made()
        try await ledger.fails(
            "replicate", "ledger.sqlite", "--replicas", "s3://bucket", "--endpoint", "https://storage.example",
            with: "noS3", .configuration)
    }
    #endif

    #if os(Linux)
    @Test func `a file that may not be written is 77`() async throws {
        let ledger = try await Ledger.made()
        // Where not even root may make a file.
        try await ledger.fails(
            "export", "ledger.sqlite", "entry", "-o", "/sys/strongroom.csv", with: "permissionDenied", .noPermission)
    }
    #endif

    private struct Filling: Strongroom.Configuration {
        static let target = "filling"
        let directory: String
        let isNew: Bool

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain([.raw(Array(repeating: 4, count: 32))])
        }
        func migrator(for database: DatabaseName) -> Migrator? {
            let all = [
                Migration("1") { db in try db.execute("CREATE TABLE entry (text)") },
                Migration("2") { _ in throw StrongroomError(.diskFull, "The disk is full.") },
            ]
            return Migrator { isNew ? all : Array(all.prefix(1)) }
        }
    }

    @Test func `a migration that a full disk stops is 74`() async throws {
        let ledger = try Ledger()
        let path: String = ledger.directory.path("data")
        try await Stores(Filling(directory: path, isNew: false)).open("filling.sqlite").close()
        let run = try await ledger.run(
            ["migrate", "filling.sqlite", "--json"], stores: try Stores(Filling(directory: path, isNew: true)))
        #expect(run.status == .inputOutput)
        #expect(run.errors.contains("migrationFailed") && run.errors.contains("diskFull"))
    }

    // MARK: Several databases

    private struct Answer: Decodable {
        let database: String
        let path: String
        let status: String
        let error: Ledger.Failure?
    }

    @Test(arguments: [("fileMissing", StrongroomCommands.ExitStatus.noInput), ("noConfiguration", .configuration)])
    func `one that is missing keeps no other from being verified`(
        code: String, status: StrongroomCommands.ExitStatus
    ) async throws {
        let ledger = try Ledger()
        for name in ["ledger_a.sqlite", "ledger_b.sqlite"] { try await ledger.make(name) }
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let stranger = "unknown_\(UInt32.random(in: 0...UInt32.max)).sqlite"
        let missing = code == "fileMissing" ? ledger.path("nothere.sqlite") : stranger
        let run = try await ledger.run(
            "verify", ledger.path("ledger_a.sqlite"), missing, "ledger_b.sqlite", "--key-file", keys, "--json")
        #expect(run.status == status)
        #expect(try run.failure().message.contains("1 of 3"))
        let answers = try run.lines(Answer.self)
        #expect(answers.count { $0.status == "done" } == 2)
        #expect(answers.filter { $0.status == "failed" }.map(\.error?.code) == [code])
        // With damage the answer is no, whatever else is missing.
        try ledger.damage(page: 2, of: "ledger_a.sqlite")
        let damaged = try await ledger.run(
            "verify", ledger.path("ledger_a.sqlite"), missing, "ledger_b.sqlite", "--key-file", keys, "--json")
        #expect(damaged.status == .failure)
        #expect(try damaged.lines(Answer.self).count == 3)
    }

    @Test func `a damaged page of an index is told in one line`() async throws {
        let ledger = try await Ledger.made(rows: 2_000)
        let size = try CipherSettings.engineDefault().pageSize
        var indexPages = 0
        let whole = try ledger.bytes(ledger.path())
        for page in 4...min(whole.count / size, 24) {
            try whole.write(to: URL(filePath: ledger.path()))
            try ledger.damage(page: page)
            let run = try await ledger.run("verify", "ledger.sqlite")
            guard run.errors.contains("of index") else { continue }
            indexPages += 1
            #expect(run.status == .failure)
            #expect((run.output + run.errors).split(separator: "\n").count <= 3, "\(run.errors)")
            let store = try await Stores(ledger.configuration).open("ledger.sqlite")
            let report = try await store.verify()
            try await store.close()
            #expect(report.objections.count <= 100 && !report.objections.contains { $0.contains("\n") })
            #expect(report.description.split(separator: "\n").count < 50)
            if indexPages == 2 { break }
        }
        #expect(indexPages > 0)
    }

    // MARK: Keys

    @Test func `those that add a key at the same time wait for each other`() async throws {
        let ledger = try Ledger()
        let keys = try ledger.keyFile(Ledger.secrets[0])
        try await withThrowingTaskGroup(of: StrongroomCommands.ExitStatus.self) { group in
            for _ in 0..<8 { group.addTask { try await ledger.run("keys", "append", keys, "--json").status } }
            for try await status in group { #expect(status == .success) }
        }
        let count = try ledger.bytes(keys).split(separator: UInt8(ascii: "\n")).count
        #expect(count == 9)
    }

    @Test func `who waits for the key file has an end and is told of it`() async throws {
        let ledger = try Ledger()
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let lock = open(ledger.directory.path(".keys.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        try await ledger.fails("keys", "append", keys, "--wait", "0", with: "locked", .temporaryFailure)
        async let waiting = ledger.run("keys", "append", keys, "--json")
        close(lock)
        #expect(try await waiting.status == .success)
        #expect(try await ledger.run("keys", "append", keys, "--wait", "-1").status == .usage)
    }
}
