import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Migrations that cannot be done")
struct MigratorRefusalTests {
    private let vault = Vault(keys: .numbered(1))

    /// Steps that do nothing but that the first makes the table of the lines.
    private static func versions(_ versions: String...) -> Migrator {
        Migrator {
            versions.enumerated().map { index, version in
                Migration(version) { db in
                    if index == 0 { try db.execute("CREATE TABLE line (text TEXT)") }
                }
            }
        }
    }

    // MARK: Mistakes in the list

    static let mistakes: [(Migrator, String)] = [
        (Migrator {}, "no migration"),
        (Migrator(tables: []) {}, "no migration"),
        (versions("1", "2", "1"), "\"1\" is used twice"),
        (versions(""), "empty version"),
        (versions("1", ""), "empty version"),
        (versions("1", "a\0b"), "NUL"),
    ]

    @Test(arguments: mistakes.indices)
    func aMistakeInTheListIsToldBeforeAnyFileIsTouched(number: Int) async throws {
        let (migrator, words) = Self.mistakes[number]
        let mistaken = vault.with(\.migrator, migrator)
        let error = try await expectFailure(.invalidMigrator) { try await mistaken.open() }
        #expect(error.message.contains(words))
        #expect(error.database == "vault.sqlite")
        #expect(try DirectorySnapshot(vault.directory).names == [])
        try await vault.keep("a")
        let before = try DirectorySnapshot(vault.directory, ignoring: [])
        try await expectFailure(.invalidMigrator) { try await mistaken.open() }
        try before.expectUntouched()
    }

    static let reordered: [(made: Migrator, now: Migrator)] = [
        (versions("1", "2"), versions("2", "1")),
        (versions("1", "3"), versions("1", "2", "3")),
        (versions("1", "2", "3"), versions("1", "3", "2")),
        (versions("1", "2"), versions("2", "1", "3")),
        (versions("1", "2", "3"), versions("1", "3")),
        (versions("1", "2", "3"), versions("1", "another", "3", "4")),
    ]

    @Test(arguments: reordered.indices)
    func versionsThatAreNotTheFilesInItsOrderAreRefusedAndTheFileStays(number: Int) async throws {
        try await vault.with(\.migrator, Self.reordered[number].made).keep("a")
        let before = try DirectorySnapshot(vault.directory)
        let now = vault.with(\.migrator, Self.reordered[number].now)
        let error = try await expectFailure(.otherMigrations) { try await now.open() }
        #expect(error.message.contains("Put new migrations at the end"))
        #expect(error.database == "vault.sqlite")
        try before.expectUntouched()
        #expect(try await vault.with(\.migrator, Self.reordered[number].made).lines() == ["a"])
    }

    // MARK: Newer files

    @Test func aFileOfANewerProgramIsRefusedAndStaysByteForByte() async throws {
        try await vault.with(\.migrator, Self.versions("1", "2")).keep("a")
        let before = try DirectorySnapshot(vault.directory)
        let older = vault.with(\.migrator, Self.versions("1"))
        for _ in 0..<2 {
            let error = try await expectFailure(.newerSchema) { try await older.open() }
            #expect(error.message.contains("\"2\""))
            #expect(error.message.contains("newest is \"1\""))
            #expect(error.message.contains("Use a newer program"))
            #expect(error.database == "vault.sqlite")
            try before.expectUntouched()
        }
        #expect(try await vault.with(\.migrator, Self.versions("1", "2")).lines() == ["a"])
    }

    @Test func aFileAtAVersionThatWasRemovedFromTheListIsNotOfANewerProgramAlone() async throws {
        try await vault.with(\.migrator, Self.versions("1", "2")).keep("a")
        let squashed = vault.with(\.migrator, Self.versions("1", "4"))
        let error = try await expectFailure(.newerSchema) { try await squashed.open() }
        #expect(error.message.contains("if this version was removed from the list of migrations, put it back"))
        #expect(try await vault.with(\.migrator, Self.versions("1", "2", "4")).lines() == ["a"])
    }

    /// Its journal mode is not changed either: that would be a write into the file.
    @Test(.enabled(if: SQLCipherShell.installed != nil, SQLCipherShell.reason))
    func aFileOfANewerProgramThatHasARollbackJournalStaysByteForByte() async throws {
        try await vault.with(\.migrator, Self.versions("1", "2")).keep("a")
        let shell = try #require(SQLCipherShell.installed)
        let key = "PRAGMA key = \"x'\(String(repeating: "01", count: 32))'\""
        #expect(try shell.run(vault.path, key: key, "PRAGMA journal_mode = DELETE;") == ["delete"])
        let before = try DirectorySnapshot(vault.directory)
        try await expectFailure(.newerSchema) { try await vault.with(\.migrator, Self.versions("1")).open() }
        try before.expectUntouched()
    }

    // MARK: Failing steps

    private struct Refused: Error {}

    /// A second step that fails in some way after it has written.
    private static func failing(_ fail: @escaping Migration.Step) -> Migrator {
        Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT)") }
            Migration("2") { db in try db.execute("INSERT INTO line VALUES ('2')") }
            Migration("3") { db in
                try db.execute("CREATE TABLE half (a)")
                try db.execute("INSERT INTO line VALUES ('half')")
                try fail(db)
            }
            Migration("4") { db in try db.execute("INSERT INTO line VALUES ('4')") }
        }
    }

    static let failures: [(name: String, step: Migration.Step, words: String)] = [
        ("an error of the user's", { _ in throw Refused() }, "Refused"),
        ("bad SQL", { db in try db.execute("INSERT INTO nowhere VALUES (1)") }, "no such table"),
        ("COMMIT", { db in try db.execute("COMMIT") }, "notAuthorized"),
        ("ROLLBACK", { db in try db.execute("ROLLBACK") }, "notAuthorized"),
        ("END", { db in try db.execute("END TRANSACTION") }, "notAuthorized"),
        ("BEGIN", { db in try db.execute("BEGIN") }, "notAuthorized"),
        ("ATTACH", { db in try db.execute("ATTACH ':memory:' AS other") }, "notAuthorized"),
        ("a key", { db in _ = try db.value("PRAGMA rekey = 'x'", as: String?.self) }, "notAuthorized"),
        ("a rollback by the engine", { db in try rollBack(db) }, "constraint"),
        ("a rollback by the engine that the step overlooks", { db in try? rollBack(db) }, "transactionEnded"),
        ("a table made twice", { db in try db.execute("CREATE TABLE half (b)") }, "already exists"),
        (
            "the history's row written twice",
            { db in
                try db.execute("INSERT INTO strongroom_migrations (version, milliseconds, created) VALUES ('3', 0, 0)")
            }, "constraint"
        ),
    ]

    private static func rollBack(_ db: borrowing MigrationTransaction) throws {
        try db.execute("CREATE TABLE once (a UNIQUE)")
        try db.execute("INSERT INTO once VALUES (1)")
        try db.execute("INSERT OR ROLLBACK INTO once VALUES (1)")
    }

    @Test(arguments: failures.indices)
    func aFailingStepLeavesTheVersionBeforeAndNamesItself(number: Int) async throws {
        let (name, step, words) = Self.failures[number]
        try await vault.with(\.migrator, Self.versions("1")).keep("a")
        let failing = vault.with(\.migrator, Self.failing(step))
        for _ in 0..<2 {
            let error = try await expectFailure(.migrationFailed) { try await failing.open() }
            #expect(error.message.contains("\"3\""), "\(name)")
            #expect(error.message.contains(words), "\(name): \(error)")
            #expect(error.message.contains("Correct the migration"))
            #expect(error.database == "vault.sqlite")
            #expect(try await RecordedVersions(of: vault) == RecordedVersions(("1", false), ("2", false)))
            #expect(try await vault.with(\.migrator, nil).lines() == ["a", "2"])
        }
        let mended = try await vault.with(\.migrator, Self.failing { _ in }).keep()
        #expect(mended.migration?.from == "2")
        #expect(mended.migration?.applied == ["3", "4"])
        #expect(try await vault.with(\.migrator, nil).lines() == ["a", "2", "half", "4"])
    }

    @Test func theStatementOfAFailingStepComesWithTheErrorAndItsValuesDoNot() async throws {
        try await vault.with(\.migrator, Self.versions("1")).keep()
        let secret = "a secret value"
        let failing = Self.failing { db in try db.execute("INSERT INTO nowhere VALUES (\(secret))") }
        let error = try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, failing).open() }
        #expect(error.sql == "INSERT INTO nowhere VALUES (?)")
        #expect(error.resultCode != nil)
        #expect(!error.description.contains(secret))
    }

    @Test func anErrorThatTheStepHandlesFailsNothing() async throws {
        let migrator = Self.failing { db in
            #expect(throws: StrongroomError.self) { try db.execute("INSERT INTO nowhere VALUES (1)") }
        }
        let report = try await vault.with(\.migrator, migrator).keep()
        #expect(report.migration?.to == "4")
    }

    @Test func aFailedMigrationLeavesNoClaimAndNoLock() async throws {
        try await vault.keep("a")
        let failing = vault.with(\.migrator, Self.failing { _ in throw Refused() })
            .with(\.settings, StoreSettings(openTimeout: .zero))
        let stores = try Stores(failing)
        for _ in 0..<3 { try await expectFailure(.migrationFailed) { try await stores.open("vault.sqlite") } }
        #expect(try DirectorySnapshot(vault.directory).names == ["vault.sqlite"])
    }
}

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
