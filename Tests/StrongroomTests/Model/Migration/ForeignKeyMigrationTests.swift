import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Migrations of tables that other tables point to.
@Suite("Foreign keys in migrations")
struct ForeignKeyMigrationTests {
    private let vault = Vault(keys: .numbered(1))

    private static let first = Migration("1") { db in
        try db.execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, fax TEXT)")
        try db.execute("CREATE TABLE purchase (id INTEGER PRIMARY KEY, buyer REFERENCES customer ON DELETE CASCADE)")
        try db.execute("INSERT INTO customer VALUES (1, 'Ada', NULL), (2, 'Bo', NULL)")
        try db.execute("INSERT INTO purchase VALUES (10, 1), (20, 2)")
    }

    private func count(_ query: SQL) async throws -> Int? {
        try await vault.with(\.migrator, nil).read { db in try db.value(query, as: Int.self) }
    }

    @Test func theRebuildOfATableKeepsTheRowsThatPointToIt() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep()
        let rebuild = Migrator {
            Self.first
            Migration("2") { db in
                try db.execute("CREATE TABLE new_customer (id INTEGER PRIMARY KEY, name TEXT)")
                try db.execute("INSERT INTO new_customer SELECT id, name FROM customer")
                try db.execute("DROP TABLE customer")
                try db.execute("ALTER TABLE new_customer RENAME TO customer")
            }
        }
        try await vault.with(\.migrator, rebuild).keep()
        #expect(try await count("SELECT count(*) FROM purchase JOIN customer ON customer.id = buyer") == 2)
        // They are enforced again.
        try await vault.with(\.migrator, rebuild).using { store in
            await #expect(throws: StrongroomError.self) {
                try await store.write { db in try db.execute("INSERT INTO purchase VALUES (30, 7)") }
            }
        }
    }

    /// The spellings of a reference that a schema may have, also of a table to itself.
    @Test(
        arguments: [
            "CREATE TABLE page (id INTEGER PRIMARY KEY, chapter INTEGER REFERENCES chapter ON DELETE CASCADE)",
            "CREATE TABLE page (id INTEGER PRIMARY KEY, chapter, FOREIGN KEY (chapter) REFERENCES \"Chapter\" (id))",
            "CREATE TABLE page (id INTEGER PRIMARY KEY, chapter /* references chapter */ REFERENCES[CHAPTER])",
            "CREATE TABLE page (id INTEGER PRIMARY KEY, chapter CONSTRAINT c REFERENCES 'chapter'(id))",
        ], [false, true])
    func aRenamedTableIsReferencedByItsNewName(child: String, inStep: Bool) async throws {
        let first = Migration("1") { db in
            try db.execute(
                "CREATE TABLE chapter (id INTEGER PRIMARY KEY, title TEXT, parent INTEGER REFERENCES chapter)")
            try db.execute(SQL(stringLiteral: child))
        }
        try await vault.with(\.migrator, Migrator { first }).keep()
        let rename = Migrator {
            first
            if inStep { Migration("2") { db in try db.renameTable("chapter", to: "the section") } }
        }
        try await vault.with(\.migrator, rename).using { store in
            if !inStep { try await store.write { db in try db.renameTable("chapter", to: "the section") } }
            try await store.write { db in
                try db.execute("INSERT INTO `the section` VALUES (1, 'a', NULL), (2, 'b', 1)")
                try db.execute("INSERT INTO page VALUES (1, 2)")
            }
            for sql: SQL in ["INSERT INTO page VALUES (2, 7)", "INSERT INTO `the section` VALUES (3, 'c', 7)"] {
                try await expectFailure(.constraint) { try await store.write { db in try db.execute(sql) } }
            }
        }
    }

    @Test func everyValueThatPointsToNothingIsNamedUpToTenAndCounted() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep()
        let careless = Migrator {
            Self.first
            Migration("2") { db in
                for id in [1, 2, 3, 4, 5, 6, 7, 8, 9, 11] { try db.execute("INSERT INTO purchase VALUES (\(id), 1)") }
                try db.execute("DELETE FROM customer")
            }
        }
        let error = await #expect(throws: StrongroomError.self) { try await vault.with(\.migrator, careless).keep() }
        let message = try #require(error?.message)
        for id in 1...10 { #expect(message.localizedStandardContains("row \(id) of table \"purchase\""), "\(message)") }
        #expect(message.contains("that does not exist; and 2 more."))
    }

    @Test func aDroppedTableDeletesTheRowsThatReferenceItOnlyInAWrite() async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).keep()
        let careless = Migrator {
            Self.first
            Migration("2") { db in try db.dropTable("customer") }
        }
        let error = try await expectFailure(.migrationFailed) {
            try await vault.with(\.migrator, careless).open()
        }
        #expect(error.constraint?.kind == .foreignKey)
        #expect(error.message.contains("Row 10 of table \"purchase\" references a row of \"customer\""))
        #expect(try await count("SELECT count(*) FROM purchase") == 2)
        try await vault.with(\.migrator, nil).write { db in try db.dropTable("customer") }
        #expect(try await count("SELECT count(*) FROM purchase") == 0)
    }
}
