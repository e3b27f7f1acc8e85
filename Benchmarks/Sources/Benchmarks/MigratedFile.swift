import Baseline
import Foundation
import Strongroom

/// A file of version 1, of which copies are brought to version 2, by us or by a rival.
struct MigratedFile: Sendable {
    private struct Failure: Error {
        let result: Int32
    }

    private static let name = "migrated.sqlite"
    private static let count = 1_000_000
    private let directory: URL
    private let original: URL

    private static let statements: [SQL] = [
        "ALTER TABLE row ADD COLUMN length INTEGER NOT NULL DEFAULT 0",
        "UPDATE row SET length = length(text)",
        "CREATE INDEX row_length ON row (length)",
    ]

    private static let migrations = [
        Migration("1") { db in
            try db.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        },
        Migration("2") { db in
            try db.execute(statements[0])
            try db.fill("length", of: "row", with: "length(text)")
            try db.execute(statements[2])
        },
    ]

    init(in directory: URL) async throws {
        self.directory = directory.appending(path: "migrated")
        original = self.directory.appending(path: "original")
        let path = original.appending(path: Self.name).path(percentEncoded: false)
        try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
        let store = try await Stores(Vault(path: path, migrations: Array(Self.migrations.prefix(1)))).open(Self.name)
        try await store.write { db in
            try db.execute(
                """
                WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(Self.count))
                INSERT INTO row (text) SELECT hex(randomblob(10 + n % 20)) FROM number
                """
            )
        }
        try await store.close()
    }

    /// A new copy, and none else.
    func copy() throws -> String {
        let place = directory.appending(path: "copy")
        if FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) {
            try FileManager.default.removeItem(at: place)
        }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let copy = place.appending(path: Self.name)
        try FileManager.default.copyItem(at: original.appending(path: Self.name), to: copy)
        return copy.path(percentEncoded: false)
    }

    /// Opens a copy, which migrates it, and closes it.
    func migrate(_ path: String) async throws -> Duration {
        let stores = try Stores(Vault(path: path, migrations: Self.migrations))
        let start = ContinuousClock.now
        try await stores.open(Self.name).close()
        return ContinuousClock.now - start
    }

    /// Does the same to a copy as the engine's shell does it.
    func change(_ path: String) throws -> Duration {
        let statements = Self.statements.map(\.text).joined(separator: "; ")
        var result: Int32 = 0
        let duration = ContinuousClock().measure {
            result = baseline_change(path, "x'\(String(repeating: "17", count: 32))'", statements)
        }
        guard result == 0 else { throw Failure(result: result) }
        return duration
    }

    private struct Vault: Configuration {
        static let target = "migrated"
        let path: String
        let migrations: [Migration]

        func filePath(for database: DatabaseName) -> String? { path }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(.raw(Array(repeating: 0x17, count: 32)))
        }
        func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] { [try .engineDefault()] }
        func migrator(for database: DatabaseName) -> Migrator? { Migrator { migrations } }
    }
}
