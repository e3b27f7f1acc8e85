import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

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

    /// Its words stand in no output.
    static let secrets = ["swordfish-one", "swordfish-two", "swordfish-three"]

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

    init(keys: [Key] = [.passphrase(secrets[0])]) throws {
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

    func run(
        _ arguments: [String], piped: String = "", typed: String? = nil, isTerminal: Bool = false
    ) async throws -> Run {
        let (output, errors) = (TextCapture(), TextCapture())
        let session = CommandSession(
            console: Console(
                output: ConsoleStream(capture: output, isTerminal: isTerminal),
                errors: ConsoleStream(capture: errors, isTerminal: isTerminal)),
            stores: try Stores(configuration),
            input: KeyInput(all: { _ in Array(piped.utf8) }, line: { _ in typed.map { Array($0.utf8) } }))
        let status = await StrongroomTool.status(of: arguments, in: session)
        let run = Run(status: status, output: output.text, errors: errors.text)
        for secret in Self.secrets {
            #expect(!run.output.contains(secret), "A key stands in the output of \(arguments).")
            #expect(!run.errors.contains(secret), "A key stands in the errors of \(arguments).")
        }
        return run
    }
}
