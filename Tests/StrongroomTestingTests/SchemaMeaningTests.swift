import Strongroom
import StrongroomTesting
import Testing

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
        let report = try await MigrationProof(library).records(of: Book.self).verify()
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
        return try await MigrationProof(library).report().faults.filter {
            $0.ways.contains("1 → 2 → 1 → 2")
        }.map(\.message)
    }

    @Test(arguments: [
        (
            "CREATE INDEX i ON book (title)", "CREATE UNIQUE INDEX i ON book (title)",
            "index \"i\": UNIQUE is yes in a file migrated on another path, no in an empty file"
        ),
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
        (
            "CREATE TABLE w (a INTEGER, b INTEGER, PRIMARY KEY (a, b))",
            "CREATE TABLE w (a INTEGER, b INTEGER, PRIMARY KEY (b, a)) WITHOUT ROWID",
            "table \"w\": the primary key is (b, a) in a file migrated on another path, (a, b) in"
        ),
        (
            "CREATE TABLE w (a INTEGER, b INTEGER, PRIMARY KEY (a, b))",
            "CREATE TABLE w (a INTEGER, b INTEGER, PRIMARY KEY (b, a)) WITHOUT ROWID",
            "table \"w\": WITHOUT ROWID is yes in"
        ),
        (
            "CREATE TABLE w (a TEXT CHECK (a > 'x'))", "CREATE TABLE w (a TEXT CHECK (A > 'X'))",
            "check (a > 'X') of \"w\" is in a file migrated on another path and missing from an empty file"
        ),
        (
            "CREATE INDEX i ON book (min(title, 'a'))", "CREATE INDEX i ON book (min(title, 'A'))",
            """
            index "i": what is indexed is (min ( title , 'A' )) in a file migrated on another path, (min ( title , 'a' \
            )) in
            """
        ),
        (
            "CREATE TABLE w (a TEXT UNIQUE)", "CREATE TABLE w (a TEXT, UNIQUE (a COLLATE NOCASE))",
            "unique constraint on \"w\" (a): the collation is NOCASE in a file migrated on another path, BINARY in"
        ),
        (
            "CREATE TABLE w (a TEXT PRIMARY KEY)", "CREATE TABLE w (a TEXT, PRIMARY KEY (a COLLATE NOCASE))",
            "table \"w\": the collation of the primary key is NOCASE in a file migrated on another path, BINARY in"
        ),
        (
            "CREATE TABLE w (a TEXT NOT NULL UNIQUE)", "CREATE TABLE w (a TEXT NOT NULL UNIQUE ON CONFLICT IGNORE)",
            "table \"w\": ON CONFLICT is unique (a) IGNORE in a file migrated on another path, none in"
        ),
        (
            "CREATE TABLE w (a, b, UNIQUE (a, b) ON CONFLICT ABORT)",
            "CREATE TABLE w (a, b, UNIQUE (a, b) ON CONFLICT REPLACE)",
            "table \"w\": ON CONFLICT is unique (a, b) REPLACE in a file migrated on another path, none in"
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
