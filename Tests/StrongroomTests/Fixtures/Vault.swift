import Foundation
import Logging
import Strongroom
import StrongroomTesting

/// A configuration whose every answer the test chooses; its files hold lines of text.
struct Vault: Configuration {
    static let target = "vault"

    /// The directory of the files.
    let directory: String
    /// Keeps the directory, where it is the vault's own.
    private var home: TemporaryDirectory?
    var keyChain: @Sendable (DatabaseName) async throws -> KeyChain
    var migrator: Migrator? = Vault.lines
    /// Nil for the default.
    var ciphers: [CipherSettings]?
    var protection = KeyProtection.direct
    var functions: [any DatabaseFunction] = []
    var collations: [Collation] = []
    var tokenizers: [TextTokenizer] = []
    var logger: Logger?
    var settings = StoreSettings(readers: 2, openTimeout: .seconds(30))

    /// A migrator with one version, whose table holds the lines.
    static let lines = Migrator {
        Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
    }

    init(_ directory: String, _ keyChain: @escaping @Sendable (DatabaseName) async throws -> KeyChain) {
        self.directory = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
        self.keyChain = keyChain
    }

    init(_ directory: String, keys: Key...) {
        self.init(directory) { _ in try KeyChain(keys) }
    }

    /// Creates a vault in a temporary directory of its own, which is removed with the last copy of the vault and the
    /// last store.
    init(keys: Key...) {
        let home = TemporaryDirectory.ofSuite()
        self.init(home.path("")) { _ in try KeyChain(keys) }
        self.home = home
    }

    func filePath(for database: DatabaseName) throws -> String? { "\(directory)/\(database)" }
    func keyChain(for database: DatabaseName) async throws -> KeyChain { try await keyChain(database) }
    func migrator(for database: DatabaseName) throws -> Migrator? { migrator }
    func functions(for database: DatabaseName) -> [any DatabaseFunction] { functions }
    func collations(for database: DatabaseName) -> [Collation] { collations }
    func tokenizers(for database: DatabaseName) -> [TextTokenizer] { tokenizers }
    func logger(for database: DatabaseName) -> Logger? { logger }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }
    func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] {
        try ciphers ?? CipherSettings.known()
    }
}

extension Vault {
    /// The file of the database that ``open()`` opens.
    var path: String { "\(directory)/vault.sqlite" }

    /// A file that the library keeps beside it.
    func beside(_ ending: String) -> String { "\(directory)/.vault.sqlite.\(ending)" }

    /// The names of what is in the directory besides the closed database and its lock file.
    var left: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                .filter { !["vault.sqlite", ".vault.sqlite.lock"].contains($0) }
        }
    }

    /// Opens a store in a registry of its own.
    func open() async throws -> Store {
        try await Stores(self).open("vault.sqlite")
    }

    /// Opens the file, making it if need be, and closes it again.
    ///
    /// - Parameter lines: What is written into it.
    /// - Returns: What opening did.
    @discardableResult
    func keep(_ lines: String...) async throws -> OpenReport {
        try await using { store in
            try await store.write { db in
                for line in lines { try db.execute("INSERT INTO line (text) VALUES (\(line))") }
            }
            return store.openReport
        }
    }

    /// Opens the file, makes a backup and closes it again.
    func backUp(to path: String, key: Key? = nil) async throws {
        try await using { store in _ = try await store.backup(to: path, key: key) }
    }

    /// Opens the file, reads the lines in it and closes it again.
    func lines() async throws -> [String] { try await using { store in try await store.lines() } }

    /// Opens the file, works with it and closes it again, also when the work fails.
    @discardableResult
    func using<Result>(_ work: (Store) async throws -> Result) async throws -> Result {
        let store = try await open()
        do {
            let result = try await work(store)
            try await store.close()
            return result
        } catch {
            // The first failure is what the test is about.
            try? await store.close()
            throw error
        }
    }

    /// Opens the file, runs a transaction and closes it again.
    @discardableResult
    func write<Result: Sendable>(
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await using { store in try await store.write(work) }
    }

    /// Opens the file, reads from it and closes it again.
    func read<Result: Sendable>(
        _ work: @escaping @Sendable (borrowing ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await using { store in try await store.read(work) }
    }

    /// A vault whose chain of keys changes while it is open.
    init(_ directory: String, numbers: Locked<[UInt8]>) {
        self.init(directory) { _ in try KeyChain(numbers.withLock { $0.map(Key.numbered) }) }
    }

    /// A vault with the keys of some numbers.
    init(_ directory: String, numbers: [UInt8]) {
        self.init(directory) { _ in try KeyChain(numbers.map(Key.numbered)) }
    }

    /// The vault with other answers.
    func with<Value>(_ answer: WritableKeyPath<Vault, Value>, _ value: Value) -> Vault {
        var copy = self
        copy[keyPath: answer] = value
        return copy
    }
}

extension Store {
    /// The lines of a vault's database.
    func lines() async throws -> [String] {
        try await read { db in try db.values("SELECT text FROM line ORDER BY rowid", as: String.self) }
    }
}

extension Reading where Self: ~Copyable {
    /// The first column of all rows.
    func values<V: ColumnValue>(_ sql: SQL, as type: V.Type = V.self) throws -> [V] {
        var values: [V] = []
        try forEachRow(sql) { row in values.append(try row[0]) }
        return values
    }
}

extension TemporaryDirectory {
    /// A directory for a property of a suite, whose initial value cannot throw. Without one no test can run.
    static func ofSuite() -> TemporaryDirectory {
        guard let directory = try? TemporaryDirectory() else { preconditionFailure("No temporary directory.") }
        return directory
    }
}

extension Key {
    /// A raw key that is the same in every run and process.
    static func numbered(_ number: UInt8) -> Key { .raw(Array(repeating: number, count: 32)) }
}
