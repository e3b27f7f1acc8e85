import Foundation
import StrongroomTesting
import Testing

// Internal: whether an observer has news, without waiting for it; a connection without records, as other programs have.
@testable import Strongroom

/// A store whose observers say what they have been told of other processes.
struct WatchedTables {
    static let migrator = Migrator {
        Migration("1") { db in
            for table in ["a", "b", "own"] { try db.execute(SQL(verbatim: "CREATE TABLE \(table) (x)")) }
            try db.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
            try db.execute("CREATE TABLE child (id REFERENCES parent ON DELETE CASCADE)")
            try db.execute("INSERT INTO parent VALUES (1), (2)")
            try db.execute("INSERT INTO child VALUES (1), (2)")
            try db.execute("CREATE TABLE source (x)")
            try db.execute("CREATE TABLE target (x)")
            try db.execute("CREATE TRIGGER t AFTER INSERT ON source BEGIN INSERT INTO target VALUES (new.x); END")
            for number in 0..<25 { try db.execute(SQL(verbatim: "CREATE TABLE many\(number) (x)")) }
        }
    }

    /// The observed tables.
    static let all: Set<String> = ["a", "b", "parent", "child", "source", "target"]

    let directory: TemporaryDirectory
    let vault: Vault
    let store: Store
    private let observers: [(table: String, observer: ChangeObserver)]

    init() async throws {
        directory = try TemporaryDirectory()
        let root = directory.path("files")
        vault = Self.vault(root)
        try await Vault(root, keys: .numbered(1)).with(\.migrator, Self.migrator).keep()
        let store = try await vault.open()
        self.store = store
        observers = Self.all.map { table in (table, ChangeObserver(store.pool.broadcaster, tables: [table]) { _ in }) }
        // The first look finds where to begin.
        _ = try await told()
    }

    /// The vault as every process opens it: with the file's key, and the next one.
    static func vault(_ root: String) -> Vault {
        // Bounded, but no process is to give up because the machine is slow.
        let settings = StoreSettings(
            readers: 2, busyTimeout: .seconds(120), openTimeout: .seconds(120), rotation: .manual)
        return Vault(root, keys: .numbered(1), .numbered(2)).with(\.settings, settings).with(\.migrator, migrator)
    }

    /// The tables whose observers have been told of a change since the last call. A write looks for commits of others
    /// when it begins, so that nothing of what they have committed is told later.
    func told() async throws -> Set<String> {
        try await store.write { db in try db.execute("INSERT INTO own VALUES (1)") }
        let told = observers.filter { $0.observer.unfinishedRead != nil }
        for (table, observer) in observers {
            observer.begin()
            observer.watch([table])
        }
        return Set(told.map(\.table))
    }

    /// Runs statements in a store of another process, each list in a transaction.
    func write(_ transactions: [String]...) async {
        await #expect(processExitsWith: .success) {
            [root = vault.directory as String, transactions = transactions as [[String]]] in
            let store = try await Self.vault(root).open()
            for transaction in transactions {
                try await store.write { db in
                    for statement in transaction { try db.execute(SQL(verbatim: statement)) }
                }
            }
            try await store.close()
        }
    }

    /// Runs statements on a connection that records nothing, as one of another program.
    func writeWithoutRecords(_ statements: String...) throws {
        let connection = try Connection(path: vault.path, mode: .existing, database: "a")
        defer { connection.close() }
        connection.setBusyTimeout(milliseconds: 120_000)
        let digits = String(repeating: "01", count: 32)
        try Array("x'\(digits)'".utf8).withUnsafeBytes { try connection.setKey($0) }
        for statement in statements { _ = try connection.ownValue(statement) }
    }
}
