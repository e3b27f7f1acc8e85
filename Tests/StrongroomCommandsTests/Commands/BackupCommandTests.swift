import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Keeping copies from a terminal", .ending)
struct BackupCommandTests {
    private struct Answer: Decodable {
        let file: String
        let rows: Int
        let defect: String?
    }

    private let ledger: Ledger
    private var copy: String { ledger.directory.path("copy.sqlite") }

    init() throws { ledger = try Ledger() }

    /// A plaintext database, whose schema is changed in its bytes: its index then fits its table no more.
    private func makeWithDefect() async throws {
        try await ledger.makePlaintext()
        var bytes = try ledger.bytes(ledger.path())
        let (before, after) = (Data("ON entry (text)".utf8), Data("ON entry (id  )".utf8))
        while let place = bytes.range(of: before) { bytes.replaceSubrange(place, with: after) }
        try bytes.write(to: URL(filePath: ledger.path()))
    }

    @Test func aCopyWithADefectIsNoSuccess() async throws {
        try await makeWithDefect()
        let unchecked = try await ledger.run("backup", ledger.path(), "\(copy)-1", "--plaintext")
        #expect(unchecked.status == .success)
        let run = try await ledger.run("backup", ledger.path(), copy, "--plaintext", "--check-structure")
        #expect(run.status == .dataError)
        #expect(run.output.hasPrefix("Copied:") && FileManager.default.fileExists(atPath: copy))
        #expect(run.errors.contains("\"\(copy)\"") && run.errors.contains("restore"), "\(run.errors)")
        // An older copy, which may have none, is kept.
        let (older, date) = (try ledger.bytes(copy), try FileManager.default.attributesOfItem(atPath: copy))
        try await ledger.fails(
            "backup", ledger.path(), copy, "--plaintext", "--force", "--check-structure", with: "damaged", .dataError)
        let now = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(try ledger.bytes(copy) == older && now[.systemFileNumber] as? Int == date[.systemFileNumber] as? Int)
        let again = try await ledger.run(
            "backup", ledger.path(), "\(copy)-2", "--plaintext", "--check-structure", "--json")
        #expect(again.status == .dataError)
        #expect(try again.json(Answer.self).defect?.isEmpty == false)
        #expect(try again.failure().code == "defect")
        // As it says.
        let before = try ledger.bytes(ledger.path())
        try await ledger.fails(
            "restore", copy, ledger.path(), "--plaintext", "--allow-plaintext", "--force", with: "damaged", .dataError)
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test func plaintextIsTakenAndWrittenOnlyWithLeave() async throws {
        try await ledger.makePlaintext()
        #expect(try await ledger.run("backup", ledger.path(), copy, "--plaintext").status == .success)
        let target = ledger.path("ledger_new.sqlite")
        try await ledger.fails("restore", copy, target, "--plaintext", with: "plaintextFile")
        #expect(!FileManager.default.fileExists(atPath: target))
        let taken = try await ledger.run("restore", copy, target, "--plaintext", "--allow-plaintext", "--json")
        #expect(try taken.json(Answer.self).rows >= 2)
        #expect(try ledger.bytes(target).starts(with: Data("SQLite format 3\0".utf8)))
        // One that has a key is encrypted with it.
        let named = try await ledger.run(
            "restore", copy, "ledger_named.sqlite", "--allow-plaintext", "--adopt-from", "ledger.sqlite")
        #expect(named.status == .success, "\(named.errors)")
        #expect(try await ledger.rows("ledger_named.sqlite") == 2)
    }

    @Test func keysComeFromTheEnvironment() async throws {
        try await ledger.make()
        let name = "STRONGROOM_TEST_\(UInt32.random(in: 0...UInt32.max))"
        setenv(name, "\(Ledger.secrets[1])\n\(Ledger.secrets[2])", 1)
        defer { unsetenv(name) }
        #expect(try await ledger.run("backup", "ledger.sqlite", copy, "--new-key-env", name).status == .success)
        // The last of them.
        let keys = try ledger.keyFile(Ledger.secrets[2])
        #expect(try await ledger.run("tables", copy, "--key-file", keys).status == .success)
        _ = try await ledger.run("query", "ledger.sqlite", "DELETE FROM entry", "--write")
        try await ledger.fails("restore", copy, "ledger.sqlite", "--force", with: "wrongKey")
        let back = try await ledger.run("restore", copy, "ledger.sqlite", "--force", "--backup-key-env", name)
        #expect(back.status == .success, "\(back.errors)")
        #expect(try await ledger.rows() == 3)
    }

    @Test(arguments: ["backup", "restore"])
    func twoSourcesOfAKeyAreWrongUsage(command: String) async throws {
        let option = command == "backup" ? "--new-key" : "--backup-key"
        let run = try await ledger.run(
            command, "ledger.sqlite", "ledger_copy.sqlite", "\(option)-file", "keys", "\(option)-env", "KEYS")
        #expect(run.status == .usage)
    }

    /// It says what to do, since it does not do it.
    @Test func aDatabaseThatCannotBeOpenedIsToBeMovedAway() async throws {
        try await ledger.make()
        #expect(try await ledger.run("backup", "ledger.sqlite", copy).status == .success)
        try Data().write(to: URL(filePath: ledger.path()))
        let refused = try await ledger.run("restore", copy, "ledger.sqlite", "--force", "--json")
        #expect(refused.status == .dataError)
        #expect(try refused.failure().message.contains("move \"\(ledger.path())\""))
        try FileManager.default.moveItem(atPath: ledger.path(), toPath: ledger.directory.path("away.sqlite"))
        #expect(try await ledger.run("restore", copy, "ledger.sqlite").status == .success)
        #expect(try await ledger.rows() == 3)
    }
}

struct ReplicateCommandTests {
    /// Fills a part of the file with zeros, as a disk that has lost it reads.
    private func lose(_ range: Range<Int>, of path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(range.lowerBound))
        try file.write(contentsOf: [UInt8](repeating: 0, count: range.count))
        try file.close()
    }

    @Test func `a page that the disk has lost is exit code 65, and is not shipped`() async throws {
        let ledger = try await Ledger.made(rows: 2_000)
        let replicas = ledger.directory.path("replicas")
        let first = try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas)
        #expect(first.status == .success)
        let objects = try FileManager.default.subpathsOfDirectory(atPath: replicas).sorted()
        // A page of each engine, which have pages of 1 KiB and 4 KiB.
        try lose(32_768..<36_864, of: ledger.path("ledger.sqlite"))
        try await ledger.fails("replicate", "ledger.sqlite", "--replicas", replicas, with: "damaged", .dataError)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: replicas).sorted() == objects)
    }

    @Test func `a restore that is refused leaves nothing`() async throws {
        let ledger = try await Ledger.made()
        let (replicas, other) = (ledger.directory.path("replicas"), ledger.directory.path("other"))
        #expect(try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas).status == .success)
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        let keys = try ledger.keyFile(Ledger.secrets[2])
        let run = try await ledger.run(
            "replica", "restore", "\(other)/ledger.sqlite", "--replicas", replicas, "--key-file", keys, "--json")
        #expect(run.status == .configuration, "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
    }

    @Test func `a replica that is gone is named, and begun anew by request`() async throws {
        let ledger = try await Ledger.made()
        let replicas = ledger.directory.path("replicas")
        #expect(try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas).status == .success)
        try FileManager.default.removeItem(atPath: replicas)
        try await ledger.fails("replicate", "ledger.sqlite", "--replicas", replicas, with: "replicaMissing", .noInput)
        #expect(!FileManager.default.fileExists(atPath: replicas))
        let anew = try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas, "--take-over")
        #expect(anew.status == .success)
    }

    @Test func `replica verify lists every damaged object, and ends with exit code 1`() async throws {
        struct Answer: Decodable {
            struct Detail: Decodable { let findings: [String] }
            let detail: Detail?
        }
        let ledger = try await Ledger.made()
        let replicas = ledger.directory.path("replicas")
        #expect(try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas).status == .success)
        let objects = try FileManager.default.subpathsOfDirectory(atPath: replicas).filter { name in
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: "\(replicas)/\(name)", isDirectory: &isDirectory)
            return exists && !isDirectory.boolValue && (name.contains("/base/") || name.contains("/fff"))
        }
        try #require(objects.count > 1)
        for name in objects { try Data().write(to: URL(filePath: "\(replicas)/\(name)")) }
        let run = try await ledger.run("replica", "verify", "ledger.sqlite", "--replicas", replicas, "--json")
        #expect(run.status == .failure)
        let findings = try run.json(Answer.self).detail?.findings ?? []
        for name in objects { #expect(findings.contains { $0.contains(name) }, "\(name): \(findings)") }
    }
}

/// A replica has the name of its database, and no other name stands for it.
@Suite("Names of replicas")
struct ReplicaNameTests {
    @Test(arguments: ["_clinic.db", ".clinic", "clinic-wal", "clinic.keys", "\(String(repeating: "x", count: 220)).db"])
    func aFileWhoseNameIsNoDatabaseNameHasNone(name: String) async throws {
        let ledger = try await Ledger.made()
        let path = ledger.path(name)
        try FileManager.default.copyItem(atPath: ledger.path(), toPath: path)
        let (replicas, keys) = (ledger.directory.path("rep"), try ledger.keyFile(Ledger.secrets[0]))
        for command in [
            ["replicate", path, "--key-file", keys], ["replica", "status", path], ["replica", "verify", path],
            ["replica", "prune", path, "--keep", "1d"],
        ] {
            let run = try await ledger.run(command + ["--replicas", replicas])
            #expect(run.status != .success, "\(command)")
            #expect((run.output + run.errors).contains("cannot be the name of a replica"), "\(run)")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(replicas)/file"))
        try FileManager.default.removeItem(atPath: path)
        // The replica that an earlier version may have made.
        #expect(
            try await ledger.run("replicate", ledger.path(), "--replicas", replicas, "--key-file", keys).status
                == .success)
        try FileManager.default.moveItem(atPath: "\(replicas)/ledger.sqlite", toPath: "\(replicas)/file")
        let run = try await ledger.run("replica", "restore", path, "--replicas", replicas, "--key-file", keys)
        #expect(run.status != .success)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

/// A ledger's files as they were before they were encrypted.
private struct PlainLedger: Configuration {
    static let target = "ledger"
    let directory: String

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
    func keyChain(for database: DatabaseName) -> KeyChain { .plaintext }
    func migrator(for database: DatabaseName) -> Migrator? {
        Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT)") }
            Migration("2") { db in try db.execute("CREATE INDEX entry_text ON entry (text)") }
        }
    }
}

extension Ledger {
    /// Makes a plaintext database with two rows.
    func makePlaintext(_ name: String = "ledger.sqlite") async throws {
        let store = try await Stores(PlainLedger(directory: configuration.directory)).open(name)
        try await store.write { db in
            try db.execute("INSERT INTO entry (text) VALUES ('a'), ('b')")
        }
        try await store.close()
    }
}

/// A family of databases in a directory of a test's own, and the commands run on it in this process.
struct Ledger {
    /// What a run of a command left behind.
    struct Run {
        let status: StrongroomCommands.ExitStatus
        let output: String
        let errors: String

        /// The lines of JSON on standard output.
        func lines<Answer: Decodable>(_ type: Answer.Type = Answer.self) throws -> [Answer] {
            try output.split(separator: "\n").map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
        }

        /// The one line of JSON.
        func json<Answer: Decodable>(_ type: Answer.Type = Answer.self) throws -> Answer {
            try #require(try lines(type).first)
        }

        /// The error as JSON.
        func failure() throws -> Failure {
            struct Report: Decodable { let error: Failure }
            return try JSONDecoder().decode(Report.self, from: Data(errors.utf8)).error
        }
    }

    struct Failure: Decodable, Equatable {
        let code: String
        let message: String
    }

    /// Their words stand in no output. To derive a key from one takes long.
    static let passphrases = ["swordfish-one", "swordfish-two", "swordfish-three"]
    static let keys = (1...3 as ClosedRange<UInt8>).map { Key.raw([UInt8](repeating: 0x11 * $0, count: 32)) }
    /// ``keys`` as lines of a key file.
    static let secrets = (1...3).map { "raw:" + String(repeating: "\($0)", count: 64) }

    let directory: TemporaryDirectory
    var configuration: Configuration

    struct Configuration: Strongroom.Configuration {
        static let target = "ledger"

        let directory: String
        var keys: [Key]
        var versions = 2
        /// Tables of an automatic migrator in place of the versions.
        var tables: [TableSchema] = []
        var protection = KeyProtection.direct
        var settings = StoreSettings(readers: 1, busyTimeout: .milliseconds(200), openTimeout: .seconds(20))

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(keys) }
        func keyProtection(for database: DatabaseName) -> KeyProtection { protection }
        func settings(for database: DatabaseName) -> StoreSettings { settings }

        func migrator(for database: DatabaseName) -> Migrator? {
            guard tables.isEmpty else { return .automatic(tables: tables) }
            let all = [
                Migration("1") { db in try db.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT)") },
                Migration("2") { db in
                    try db.execute("CREATE INDEX entry_text ON entry (text)")
                } down: { db in
                    try db.execute("DROP INDEX entry_text")
                },
                Migration("3") { db in
                    try db.execute("CREATE TABLE tag (name TEXT)")
                } down: { db in
                    try db.execute("DROP TABLE tag")
                },
            ]
            return Migrator { Array(all.prefix(versions)) }
        }
    }

    init(keys: [Key] = [Ledger.keys[0]]) throws {
        directory = try TemporaryDirectory()
        configuration = Configuration(directory: directory.path("data"), keys: keys)
    }

    func path(_ name: String = "ledger.sqlite") -> String { "\(configuration.directory)/\(name)" }

    /// The same files with other answers.
    func with<Value>(_ answer: WritableKeyPath<Configuration, Value>, _ value: Value) -> Ledger {
        var copy = self
        copy.configuration[keyPath: answer] = value
        return copy
    }

    /// Makes a database with some rows.
    func make(_ name: String = "ledger.sqlite", rows: Int = 3) async throws {
        let stores = try Stores(configuration)
        let store = try await stores.open(name)
        try await store.write { db in
            for number in 0..<rows { try db.execute("INSERT INTO entry (text) VALUES (\("row \(number)"))") }
        }
        try await store.close()
    }

    /// A ledger with a database of some rows.
    static func made(rows: Int = 3, keys: [Key] = [Ledger.keys[0]]) async throws -> Ledger {
        let ledger = try Ledger(keys: keys)
        try await ledger.make(rows: rows)
        return ledger
    }

    /// The number of rows that a database has, with the keys and the version that the configuration has now.
    func rows(_ name: String = "ledger.sqlite") async throws -> Int {
        let store = try await Stores(configuration).open(name)
        let count = try await store.read { db in try db.value("SELECT count(*) FROM entry", as: Int.self) ?? 0 }
        try await store.close()
        return count
    }

    /// Writes a key file.
    func keyFile(_ lines: String..., name: String = "keys", mode: Int = 0o600) throws -> String {
        let path = directory.path(name)
        try #require(
            FileManager.default.createFile(
                atPath: path, contents: Data((lines.joined(separator: "\n") + "\n").utf8),
                attributes: [.posixPermissions: mode]))
        return path
    }

    func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - piped: What stands on standard input.
    ///   - typed: What is typed at a prompt; nil without a terminal.
    ///   - isTerminal: Whether the output takes itself for a terminal.
    func run(
        _ arguments: String..., piped: String = "", typed: String? = nil, isTerminal: Bool = false
    ) async throws -> Run {
        try await run(arguments, piped: piped, typed: typed, isTerminal: isTerminal)
    }

    /// Runs a command that fails with a code, and a status where one is given; the error is told as JSON.
    @discardableResult func fails(
        _ arguments: String..., with code: String, _ status: StrongroomCommands.ExitStatus? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Run {
        try await fails(arguments, with: code, status, sourceLocation: sourceLocation)
    }

    @discardableResult func fails(
        _ arguments: [String], with code: String, _ status: StrongroomCommands.ExitStatus? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Run {
        let run = try await run(arguments + ["--json"])
        #expect(run.status != .success && run.status == status ?? run.status, "\(run)", sourceLocation: sourceLocation)
        #expect(try run.failure().code == code, "\(arguments)", sourceLocation: sourceLocation)
        return run
    }

    /// - Parameters:
    ///   - answers: What is typed at one prompt after the other.
    ///   - stores: Those of another configuration.
    func run(
        _ arguments: [String], piped: String = "", typed: String? = nil, answers: [String] = [],
        isTerminal: Bool = false, stores: Stores? = nil
    ) async throws -> Run {
        let answers = Locked(answers)
        let (output, errors) = (TextCapture(), TextCapture())
        let session = CommandSession(
            console: Console(
                output: ConsoleStream(capture: output, isTerminal: isTerminal),
                errors: ConsoleStream(capture: errors, isTerminal: isTerminal)),
            stores: try stores ?? Stores(configuration),
            input: KeyInput(
                all: { _ in Array(piped.utf8) },
                line: { _ in
                    let answer = answers.withLock { $0.isEmpty ? typed : $0.removeFirst() }
                    return answer.map { Array($0.utf8) }
                }))
        let status = await StrongroomTool.status(of: arguments, in: session)
        let run = Run(status: status, output: output.text, errors: errors.text)
        for secret in Self.passphrases + Self.secrets.map({ String($0.dropFirst(4)) }) {
            #expect(!run.output.contains(secret), "A key stands in the output of \(arguments).")
            #expect(!run.errors.contains(secret), "A key stands in the errors of \(arguments).")
        }
        return run
    }
}
