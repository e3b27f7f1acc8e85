import StrongroomTesting
import Testing

// Internal: a second connection to the file, as another process has one.
@testable import Strongroom

@Suite("A newer program that migrates an open file")
struct NewerProgramTests {
    private static let versions = Migrator {
        Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
    }

    private let vault = Vault(keys: .numbered(1)).with(\.migrator, Self.versions)

    private func run(_ statements: String...) throws {
        let connection = try Connection(path: vault.path, mode: .existing, database: "a")
        defer { connection.close() }
        connection.setBusyTimeout(milliseconds: 120_000)
        let digits = String(repeating: "01", count: 32)
        try Array("x'\(digits)'".utf8).withUnsafeBytes { try connection.setKey($0) }
        for statement in statements { _ = try connection.ownValue(statement) }
    }

    @Test func everyTransactionOfTheOlderOneEndsWithTheErrorOfOpening() async throws {
        try await vault.keep("a")
        try await vault.using { store in
            let insert = "INSERT INTO line VALUES ('b')" as SQL
            let count = "SELECT count(*) FROM line" as SQL
            try await store.write { db in try db.execute(insert) }
            #expect(try await store.read { db in try db.value(count, as: Int.self) } == 2)
            try run(
                "CREATE TABLE later (x)",
                "INSERT INTO strongroom_migrations (version, milliseconds, created) VALUES ('2', 0, 0)")
            for _ in 0..<2 {
                try await expectFailure(.newerSchema, saying: "\"2\"") {
                    try await store.write { db in try db.execute(insert) }
                }
                for kind in [WriteKind.immediate, .deferred] {
                    try await expectFailure(.newerSchema) {
                        try await store.write(as: kind) { db in try db.execute(insert) }
                    }
                }
                try await expectFailure(.newerSchema) {
                    try await store.read { db in try db.value(count, as: Int.self) }
                }
            }
            // The newer program goes back.
            try run("DELETE FROM strongroom_migrations WHERE version = '2'", "DROP TABLE later")
            try await store.write { db in try db.execute(insert) }
            #expect(try await store.read { db in try db.value(count, as: Int.self) } == 3)
        }
        #expect(try await vault.lines() == ["a", "b", "b"])
    }

    @Test func anotherChangeOfTheSchemaDisturbsNothing() async throws {
        try await vault.keep("a")
        try await vault.using { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('b')") }
            try run("CREATE INDEX line_text ON line (text)")
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('c')") }
        }
        #expect(try await vault.lines() == ["a", "b", "c"])
    }

    @Test func aStepThatChangesNoTableIsNoticedToo() async throws {
        let version = "PRAGMA schema_version" as SQL
        try await vault.keep("a")
        let before = try await vault.read { db in try db.value(version, as: Int.self) }
        let newer = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration("2") { db in try db.execute("UPDATE line SET text = upper(text)") }
        }
        let after = try await vault.with(\.migrator, newer).read { db in try db.value(version, as: Int.self) }
        let (old, new) = (try #require(before), try #require(after))
        #expect(new > old)
        #expect(try await vault.with(\.migrator, newer).lines() == ["A"])
    }
}
