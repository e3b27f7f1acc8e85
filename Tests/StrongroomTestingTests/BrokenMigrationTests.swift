import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// For each thing that the kit claims to catch a migrator in which just that is broken.
@Suite("The proof of broken migrations goes red")
struct BrokenMigrationTests {
    // MARK: A fresh file and one that ran every migration

    @Test func aLostColumn() async throws {
        let library = Library.with("2") { db in try db.execute("CREATE INDEX book_title ON book (title)") }
        let proof = MigrationProof(library).records(of: Book.self)
        let faults = try await proof.report().faults.map(\.description)
        try expectFault(
            "column \"book.shelf\" is in a fresh file and missing from a file that ran every migration", in: faults)
        // An empty table shows it, too.
        try expectFault("the records Book of table \"book\" cannot be read at the newest version", "shelf", in: faults)
    }

    @Test func aWrongDefault() async throws {
        let faults = try await Library.with("2") { db in
            try db.execute("ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'some'")
            try db.execute("UPDATE book SET shelf = 'old'")
            try db.execute("CREATE INDEX book_title ON book (title)")
        }.faults()
        #expect(
            faults == [
                """
                column "book.shelf": the default is 'none' in a fresh file, 'some' in a file that ran every migration
                """
            ])
    }

    @Test func aMissingIndex() async throws {
        let faults = try await Library.with("2") { db in
            try db.execute("ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")
            try db.execute("UPDATE book SET shelf = 'old'")
        }.faults()
        #expect(faults == ["index \"book_title\" is in a fresh file and missing from a file that ran every migration"])
    }

    /// What in the declaration of loans is another text in version 3, and what the fault is then.
    static let loans = [
        ("book INTEGER", "book TEXT", "column \"loan.book\": the type is INTEGER in a fresh file, TEXT in a file"),
        ("INTEGER NOT NULL", "INTEGER", "column \"loan.book\": NULL is not allowed in a fresh file, allowed in a file"),
        (" UNIQUE", "", "unique constraint on \"loan\" (book) is in a fresh file and missing from a file"),
        (
            " ON DELETE CASCADE", "",
            "foreign key of \"loan\" (book) to \"book\" (id): ON DELETE is CASCADE in a fresh file, NO ACTION in a file"
        ),
        (
            " REFERENCES book (id) ON DELETE CASCADE", "",
            "foreign key of \"loan\" (book) to \"book\" (id) is in a fresh file and missing from a file"
        ),
        (
            "CASCADE", "CASCADE DEFERRABLE INITIALLY DEFERRED",
            """
            foreign key of "loan" (book) to "book" (id): the check is at once in a fresh file, when the transaction \
            ends in a file
            """
        ),
        (
            " COLLATE NOCASE", "",
            "column \"loan.reader\": the collation is NOCASE in a fresh file, BINARY in a file"
        ),
        (
            " CHECK (length(reader) > 0)", "",
            "check (length ( reader ) > 0) of \"loan\" is in a fresh file and missing from a file"
        ),
        (
            "PRIMARY KEY", "PRIMARY KEY AUTOINCREMENT",
            "table \"loan\": AUTOINCREMENT is no in a fresh file, yes in a file"
        ),
        (
            "id INTEGER PRIMARY KEY", "id INT PRIMARY KEY NOT NULL",
            "table \"loan\": an integer key that is the row id is yes in a fresh file, no in a file"
        ),
    ]

    @Test(arguments: loans) func anotherConstraint(text: String, other: String, fault: String) async throws {
        let sound = """
            id INTEGER PRIMARY KEY, book INTEGER NOT NULL UNIQUE REFERENCES book (id) ON DELETE CASCADE, reader TEXT \
            NOT NULL COLLATE NOCASE CHECK (length(reader) > 0)
            """
        let declaration = sound.replacing(text, with: other)
        try #require(declaration != sound)
        let faults = try await Library.with("3") { db in
            try db.execute(SQL(stringLiteral: "CREATE TABLE loan (\(declaration))"))
        }.faults()
        #expect(faults.contains { $0.hasPrefix(fault) }, "\(faults)")
    }

    @Test func whatOnlyAMigrationMakes() async throws {
        let faults = try await Library.with("3") { db in
            try Library.third.up(db)
            try db.execute("CREATE TRIGGER lent AFTER INSERT ON loan BEGIN UPDATE book SET shelf = 'out'; END")
            try db.execute("CREATE VIEW lent_book AS SELECT book FROM loan")
            try db.execute("INSERT INTO book (title) VALUES ('Lost and found')")
        }.faults()
        try expectFault(
            "trigger \"lent\" is in a file that ran every migration and missing from a fresh file", in: faults)
        try expectFault("view \"lent_book\" is in a file that ran every migration", in: faults)
        try expectFault("table \"book\" has 0 rows in a fresh file, 1 in a file that ran every migration", in: faults)
    }

    // MARK: Data

    @Test func aChangeThatLosesData() async throws {
        let library = Library.with("3") { db in
            try Library.third.up(db)
            try db.execute(
                "CREATE TABLE other (id INTEGER PRIMARY KEY, title TEXT NOT NULL, shelf TEXT NOT NULL DEFAULT 'none')")
            try db.execute("DROP TABLE book")
            try db.execute("ALTER TABLE other RENAME TO book")
            try db.execute("CREATE INDEX book_title ON book (title)")
        }
        let faults = try await library.faults()
        #expect(faults.count == 2, "\(faults)")
        try expectFault(
            "what was planted at \"1\" (StrongroomTestingTests/Library.swift:", "is not right at \"3\"", "1 → 3",
            "1 → 2 → 3", in: faults)
        try expectFault("what was planted at \"2\"", "is not right at \"3\"", "2 → 3", in: faults)
    }

    @Test func aMigrationThatTheDataRefuses() async throws {
        let library = Library.with("3") { db in
            try Library.third.up(db)
            try db.execute("CREATE UNIQUE INDEX one ON book (shelf)")
        }
        let proof = library.quickProof().planting(at: "1") { db in
            try db.execute("INSERT INTO book (title) VALUES ('Sanditon')")
        } expecting: { _, _ in
            true
        }
        let faults = try await proof.report().faults.map(\.description)
        try expectFault("a file cannot be migrated to \"3\"", "constraint", "1 → 3", in: faults)
    }

    @Table("book")
    struct Wrong {
        var id: Int64?
        var shelf: Int
    }

    @Test func aRecordThatDoesNotFitItsTable() async throws {
        let faults = try await Library().quickProof().records(of: Wrong.self).report().faults.map(\.description)
        try expectFault("the records Wrong of table \"book\" cannot be read at the newest version", "1 → 3", in: faults)
    }

    // MARK: Interruptions

    @Test func aStepThatGoesOnAfterAnError() async throws {
        let faults = try await Library.with("2") { db in
            try db.execute("ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")
            _ = try? db.execute("UPDATE book SET shelf = 'old'")
            _ = try? db.execute("CREATE INDEX book_title ON book (title)")
        }.faults(interrupts: true)
        let fault = try expectFault(
            "migration \"2\" is not rolled back when one of its statements fails", "`try?`", in: faults)
        #expect(fault.contains("after \"ALTER TABLE book ADD COLUMN shelf"))
        #expect(fault.contains("after \"UPDATE book"))
        #expect(!fault.contains("before its first statement"))
    }

    /// What the step has done for a file is noted outside of the file, where no transaction undoes it.
    @Test func aStepThatIsNotOneTransaction() async throws {
        let done = Locked<Set<String>>([])
        let library = Library.with("2") { db in
            try db.execute("ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")
            var path = ""
            try db.forEachRow("PRAGMA database_list") { row in path = try row[2] }
            let isFirst = done.withLock { $0.insert(path).inserted }
            if isFirst { try db.execute("UPDATE book SET shelf = 'old'") }
            try db.execute("CREATE INDEX book_title ON book (title)")
        }
        let faults = try await library.faults(interrupts: true)
        let fault = try expectFault(
            "migration \"2\" does not recover from an interruption: column \"book.shelf\" has other values",
            in: faults)
        #expect(fault.contains("after \"UPDATE book"))
        #expect(!fault.contains("after \"ALTER TABLE"))
    }

    // MARK: Rotation

    /// A step takes the file for the one that the step before it has seen: so it is, unless a rotation has put another
    /// one into its place.
    @Test func aStepThatARotationMisleads() async throws {
        struct AnotherFile: Error {}
        @Sendable func place(_ db: borrowing MigrationTransaction) throws -> (path: String, node: Int) {
            var path = ""
            try db.forEachRow("PRAGMA database_list") { row in path = try row[2] }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (path, try #require(attributes[.systemFileNumber] as? Int))
        }
        let nodes = Locked<[String: Int]>([:])
        var library = Library.with("2") { db in
            let (path, node) = try place(db)
            nodes.withLock { $0[path] = node }
            try Library.second.up(db)
        }
        library.migrations[2] = Migration("3") { db in
            let (path, node) = try place(db)
            if let before = nodes.withLock({ $0[path] }), before != node { throw AnotherFile() }
            try Library.third.up(db)
        }
        let faults = try await library.faults()
        #expect(faults.count == 1, "\(faults)")
        let fault = try expectFault("a file cannot be migrated to \"3\"", "AnotherFile", in: faults)
        #expect(fault.hasSuffix("[1 → 2 → 3 with a new key each]"))
    }

    // MARK: Running twice

    /// The step sees to it that its own version is forgotten.
    @Test func aMigrationThatRunsAgain() async throws {
        let faults = try await Library.with("3") { db in
            if try !db.hasTable("loan") { try Library.third.up(db) }
            try db.execute("INSERT INTO book (title) VALUES ('Again')")
            try db.execute("DROP TRIGGER IF EXISTS forget")
            try db.execute(
                """
                CREATE TRIGGER forget AFTER INSERT ON strongroom_migrations
                BEGIN DELETE FROM strongroom_migrations WHERE version = '3'; END
                """)
        }.faults()
        try expectFault("migrations run a second time: 3", "1 → 3", in: faults)
        try expectFault("opening a second time changes the file: table \"book\" has", in: faults)
    }

    // MARK: Going back

    @Test func aWayDownThatLeavesSomething() async throws {
        var library = Library()
        library.migrations[1] = Migration("2", Library.second.up) { db in try db.dropColumn("shelf", from: "book") }
        let faults = try await library.faults()
        try expectFault(
            """
            at "1" index "book_title" is in a file migrated on another path and missing from an empty file that ran \
            every migration
            """,
            "1 → 2 → 1", "1 → 3 → 1", in: faults)
        try expectFault("a file cannot be migrated to \"2\"", "1 → 2 → 1 → 2", in: faults)
    }

    @Test func aWayDownThatLosesData() async throws {
        var library = Library()
        library.migrations[2] = Migration("3", Library.third.up) { db in
            try db.dropTable("loan")
            try db.execute("DELETE FROM book")
        }
        let faults = try await library.faults()
        try expectFault("what was planted at \"2\"", "is not right at \"2\"", "2 → 3 → 2", in: faults)
    }

    /// Only a file that was written by the newer version has rows that are lost.
    @Test func aWayDownThatLosesWhatTheNewerVersionHasWritten() async throws {
        var library = Library()
        library.migrations[2] = Migration("3", Library.third.up) { db in
            try db.execute("DELETE FROM book WHERE id IN (SELECT book FROM loan)")
            try db.dropTable("loan")
        }
        #expect(try await library.faults() == [])
        let proof = library.quickProof().planting(at: "3", backTo: "1") { db in
            try db.execute("INSERT INTO book (id, title) VALUES (7, 'Sanditon')")
            try db.execute("INSERT INTO loan (book, reader) VALUES (7, 'Jane')")
        } expecting: { db, _ in
            try db.value("SELECT title FROM book WHERE id = 7", as: String.self) == "Sanditon"
        }
        let faults = try await proof.report().faults.map(\.description)
        #expect(faults.count == 2, "\(faults)")
        try expectFault("what was planted at \"3\"", "is not right at \"2\" [3 → 2]", in: faults)
        try expectFault("what was planted at \"3\"", "is not right at \"1\" [3 → 1]", in: faults)
    }

    @Test func aWayDownThatGoesOnAfterAnError() async throws {
        var library = Library()
        library.migrations[1] = Migration("2", Library.second.up) { db in
            try db.dropColumn("shelf", from: "book")
            try? db.dropIndex("book_title")
        }
        let faults = try await library.faults(interrupts: true)
        try expectFault("the downgrade from \"2\" is not rolled back when one of its statements fails", in: faults)
    }
}
