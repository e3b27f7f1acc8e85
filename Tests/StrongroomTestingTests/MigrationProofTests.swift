import Strongroom
import StrongroomTesting
import Testing

@Suite("Proving migrations")
struct MigrationProofTests {
    @Test func soundMigrationsAreProvedOnEveryWay() async throws {
        let report = try await Library().proof().verify()
        #expect(report.faults.isEmpty)
        // A new column is no changed one.
        #expect(report.changes.isEmpty)
        #expect(report.ups == ["1 → 2", "1 → 3", "1 → 2 → 3", "2 → 3"])
        #expect(report.downs == ["2 → 1", "3 → 1", "3 → 2"])
        // Upwards an error before each of the five statements and at the end of each migration, and a kill at as many
        // of the two that have an older file; downwards it depends on the engine how many statements a column is
        // dropped by.
        #expect(report.interruptions >= (2 + 4 + 2) + (4 + 2) + (3 + 2) * 2)
        // From 1 and from 2 at once to the newest version, and from 1 by two steps.
        #expect(report.rotations == 4)
        #expect(
            report.leftOut == [
                Self.noFixtures,
                "no record of table \"loan\" was read: plant a row, or pass a sample to `records(of:)`",
            ])
    }

    private static let noFixtures =
        """
        there is no directory "Fixtures/library" with fixture files; record one of each released version with \
        `recordFixture(version:)`
        """

    @Test func theColumnsThatAStepChangesAreListed() async throws {
        let library = Library.with("3") { db in
            try db.execute("UPDATE book SET title = upper(title) WHERE shelf = 'old'")
            try db.execute("DELETE FROM book WHERE shelf = 'new'")
        }
        let report = try await library.proof().withoutInterruptions().report()
        #expect(report.changes == ["3: column \"book.title\"", "3: the rows of table \"book\""])
        #expect(report.description.contains("changed by 3: column \"book.title\""))
    }

    @Test func aNamedDirectoryOfFixturesThatIsNotThereIsAFault() async throws {
        let faults = try await Library().proof(fixtures: "Nowhere").withoutInterruptions().report().faults
            .map(\.message)
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("there is no directory \"Nowhere\" with fixture files") == true, "\(faults)")
    }

    @Test func samplesAreInsertedAndFound() async throws {
        let proof = MigrationProof(Library()).withoutInterruptions()
            .records(of: Book.self, Book(title: "Emma"), Book(title: "Sanditon"))
            .records(of: Loan.self, Loan(book: 1, reader: "Jane"))
        let report = try await proof.verify()
        #expect(report.leftOut == [Self.noFixtures])
    }

    /// How files are opened in earnest: none of it is a mistake of the migrations.
    @Test func withAnEnvelopeTheSameIsProvedWhateverTheSettingsSay() async throws {
        var library = Library()
        library.protection = .envelope
        library.settings = StoreSettings(storage: .memory, isReadOnly: true, readers: 1, migration: .manual)
        let report = try await library.proof().verify()
        #expect(report.ups.count == 4)
        #expect(report.rotations == 4)
    }

    @Test func dataOfANewerVersionIsRightAsFarBackAsItsPlantingSays() async throws {
        let looks = Locked<Set<String>>([])
        let proof = Library().quickProof().planting(at: "3", backTo: "2") { db in
            try db.execute("INSERT INTO book (title, shelf) VALUES ('Sanditon', 'new')")
        } expecting: { db, version in
            looks.withLock { _ = $0.insert(version) }
            return try db.value("SELECT shelf FROM book WHERE title = 'Sanditon'", as: String.self) == "new"
        }
        try await proof.verify()
        #expect(looks.withLock { $0 } == ["2", "3"])
    }

    @Test func aConfigurationThatNeverRotatesIsProvedWithoutAndTheReportSaysSo() async throws {
        var library = Library()
        // Then a fresh file runs every migration.
        library.tables = nil
        library.settings.rotation = .never
        let report = try await library.proof().verify()
        #expect(report.leftOut.contains { $0.contains("rotation") })
        #expect(report.rotations == 0)
    }

    @Test func aValueThatIsAnotherInEachRunIsNoFault() async throws {
        let library = Library.with("2") { db in
            try db.execute("ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")
            try db.execute("UPDATE book SET title = title || random()")
            try db.execute("UPDATE book SET shelf = 'old'")
            try db.execute("CREATE INDEX book_title ON book (title)")
        }
        let proof = MigrationProof(library)
            .planting(at: "1") { db in
                try db.execute("INSERT INTO book (title) VALUES ('Emma')")
            } expecting: { db, _ in
                try db.value("SELECT count(*) FROM book WHERE title LIKE 'Emma%'", as: Int.self) == 1
            }
        let report = try await proof.verify()
        #expect(report.leftOut.contains("the downgrade from \"2\": there is no `down`"))
        #expect(report.downs == ["3 → 2"])
    }

    @Test func aLongMigrationIsInterruptedAtSomePlacesAndTheReportSaysSo() async throws {
        var library = Library()
        library.migrations = [
            Library.first,
            Migration("2") { db in
                try Library.second.up(db)
                for _ in 0..<300 { try db.execute("UPDATE book SET title = title || '!'") }
            },
        ]
        library.tables = [Book.schema]
        let proof = MigrationProof(library).planting(at: "1") { db in
            try db.execute("INSERT INTO book (title) VALUES ('Emma')")
        } expecting: { db, version in
            try db.value("SELECT length(title) FROM book", as: Int.self) == (version == "1" ? 4 : 304)
        }
        let report = try await proof.verify()
        #expect(report.interruptions == 2 + 100 + 100)
        #expect(
            report.leftOut.contains("migration \"2\" has 303 statements, and was interrupted at 100 points, evenly"),
            "\(report)")
    }

    @Test func tablesWithoutNamedRecordsAreReported() async throws {
        let report = try await MigrationProof(Library()).withoutInterruptions().records(of: Book.self).verify()
        #expect(
            report.leftOut == [
                Self.noFixtures,
                "no record of table \"book\" was read: plant a row, or pass a sample to `records(of:)`",
                "the records of table \"loan\": name their type with `records(of:)`",
            ])
    }

    @Test func theFailureTellsTheCallersLineAndEveryFault() async throws {
        let library = Library.with("3") { _ in }
        let line = #line + 1
        let failure = await #expect(throws: MigrationProof.Failure.self) { try await library.quickProof().verify() }
        let text = try #require(failure).description
        #expect(
            text.hasPrefix("StrongroomTestingTests/MigrationProofTests.swift:\(line): the migrations of Library have "))
        let fault = "table \"loan\" is in a fresh file and missing from a file that ran every migration"
        #expect(text.contains("\n1. \(fault)"))
        #expect(failure?.errorDescription == text)
    }

    @Test func aConfigurationWithoutAMigratorIsRefused() async throws {
        struct Bare: Configuration {
            static let target = "bare"
            func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
        }
        let error = await #expect(throws: StrongroomError.self) { try await MigrationProof(Bare()).verify() }
        #expect(error?.code == .notDeclared)
    }

    @Test func dataForAVersionThatIsNoneOrBackToOneThatIsNotBeforeItsOwnIsAFault() async throws {
        var proof = Library().quickProof()
        for (version, oldest) in [("0.9", nil), ("2", "0.9"), ("2", "2"), ("2", "3")] as [(String, String?)] {
            proof = proof.planting(at: version, backTo: oldest) { _ in
            } expecting: { _, _ in
                true
            }
        }
        let faults = try await proof.report().faults.map(\.message)
        #expect(faults.count == 4)
        try expectFault("\"0.9\"", "MigrationProofTests.swift", "no version of the migrator", in: faults)
        for oldest in ["0.9", "2", "3"] {
            try expectFault(
                "what is planted at \"2\"", "correct back to \"\(oldest)\", which is no version before it", in: faults)
        }
    }
}

@Suite("Schemas are compared by what they mean")
struct SchemaMeaningTests {
    /// Migrations that come to the same books by other words.
    static let sameBooks: [[SQL]] = [
        ["create table BOOK (ID integer primary key, TITLE text not null, SHELF text not null default ('none'))"],
        [
            """
            CREATE TABLE "book" ( -- the books
                [id] INTEGER PRIMARY KEY NOT NULL, `title` VARCHAR(200) NOT NULL, shelf CLOB DEFAULT "none" NOT NULL)
            """
        ],
        ["CREATE TABLE book (shelf TEXT DEFAULT 'none' NOT NULL, title TEXT NOT NULL, id INTEGER, PRIMARY KEY (id))"],
        [
            "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL)",
            "ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'",
        ],
    ]

    @Test(arguments: sameBooks.indices) func otherWordsAreNoDifference(index: Int) async throws {
        var library = Library()
        let statements = Self.sameBooks[index]
        library.tables = [Book.schema]
        library.migrations = [
            Migration("1") { db in
                for statement in statements { try db.execute(statement) }
                try db.execute("create index IF NOT EXISTS Book_Title on Book(Title asc)")
            }
        ]
        let report = try await MigrationProof(library).withoutInterruptions().records(of: Book.self).verify()
        #expect(report.faults.isEmpty)
    }

    /// Two ways to one version: by one statement, or by another after a way back.
    private func difference(_ first: SQL, _ second: SQL) async throws -> [String] {
        let isSecond = Locked(false)
        var library = Library()
        library.tables = nil
        library.migrations = [
            Library.first,
            Migration("2") { db in
                try db.execute(isSecond.withLock { $0 } ? second : first)
            } down: { db in
                isSecond.withLock { $0 = true }
                try db.execute("DROP TABLE IF EXISTS w")
                try db.execute("DROP VIEW IF EXISTS v")
                try db.execute("DROP TRIGGER IF EXISTS t")
                try db.execute("DROP INDEX IF EXISTS i")
            },
        ]
        return try await MigrationProof(library).withoutInterruptions().report().faults.filter {
            $0.ways.contains("1 → 2 → 1 → 2")
        }.map(\.message)
    }

    @Test(arguments: [
        ("CREATE INDEX i ON book (title)", "CREATE UNIQUE INDEX i ON book (title)", "index \"i\": UNIQUE is yes in"),
        (
            "CREATE INDEX i ON book (title)", "CREATE INDEX i ON book (title DESC, id)",
            "index \"i\": what is indexed is (title DESC, id) in a file migrated on another path, (title) in"
        ),
        (
            "CREATE INDEX i ON book (title)", "CREATE INDEX i ON book (title) WHERE title > 'M'",
            "index \"i\": the condition is title > 'M' in a file migrated on another path, none in"
        ),
        (
            "CREATE INDEX i ON book (lower(title))", "CREATE INDEX i ON book (upper(title))",
            "index \"i\": what is indexed is (upper ( title )) in a file migrated on another path, (lower ( title )) in"
        ),
        (
            "CREATE VIEW v AS SELECT title FROM book", "CREATE VIEW v AS SELECT title FROM book WHERE id > 1",
            "view \"v\": the statement is \"CREATE VIEW v AS SELECT title FROM book WHERE id > 1\" in"
        ),
        (
            "CREATE TRIGGER t AFTER DELETE ON book BEGIN SELECT 1; END",
            "CREATE TRIGGER t AFTER DELETE ON book BEGIN SELECT 2; END", "trigger \"t\": the statement is"
        ),
        ("CREATE TABLE w (a, b, PRIMARY KEY (a, b))", "CREATE TABLE w (a, b, PRIMARY KEY (b, a))", "is (b, a) in"),
        ("CREATE TABLE w (a PRIMARY KEY)", "CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID", "WITHOUT ROWID is yes in"),
        ("CREATE TABLE w (a CHECK (a > 'x'))", "CREATE TABLE w (a CHECK (A > 'X'))", "check (a > 'X') of \"w\" is in"),
        ("CREATE INDEX i ON book (min(title, 'a'))", "CREATE INDEX i ON book (min(title, 'A'))", "title , 'A' )) in"),
        (
            "CREATE TABLE w (a TEXT UNIQUE)", "CREATE TABLE w (a TEXT, UNIQUE (a COLLATE NOCASE))",
            "unique constraint on \"w\" (a): the collation is NOCASE in"
        ),
        (
            "CREATE TABLE w (a TEXT PRIMARY KEY)", "CREATE TABLE w (a TEXT, PRIMARY KEY (a COLLATE NOCASE))",
            "table \"w\": the collation of the primary key is NOCASE in"
        ),
        ("CREATE TABLE w (a UNIQUE)", "CREATE TABLE w (a UNIQUE ON CONFLICT IGNORE)", "unique (a) IGNORE in"),
        (
            "CREATE TABLE w (a, b, UNIQUE (a, b) ON CONFLICT ABORT)",
            "CREATE TABLE w (a, b, UNIQUE (a, b) ON CONFLICT REPLACE)", "ON CONFLICT is unique (a, b) REPLACE in"
        ),
        (
            "CREATE VIRTUAL TABLE w USING fts4(a)", "CREATE VIRTUAL TABLE w USING fts4(a, b)",
            "table \"w\": the virtual table's statement is"
        ),
    ]) func oneThingIsOther(first: String, second: String, fault: String) async throws {
        let differences = try await difference(SQL(stringLiteral: first), SQL(stringLiteral: second))
        #expect(differences.contains { $0.contains(fault) }, "\(differences)")
    }
}
