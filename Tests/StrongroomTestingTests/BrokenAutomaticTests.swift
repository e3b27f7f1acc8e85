import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// For each thing that the proof of an automatic schema claims to catch a declaration in which just that is wrong.
@Suite("The proof of a broken automatic schema goes red")
struct BrokenAutomaticTests {
    private typealias Tables = GuestBook.Tables

    @Test func `a column that is removed without being declared as removed`() async throws {
        let proof = MigrationProof(GuestBook())
            .release("2", tables: [Tables.second])
            .release("3", tables: [Tables.third])
        let faults = try await proof.report().faults
        #expect(faults.count == 2)
        for version in ["2", "3"] {
            try expectFault(
                "data of \"\(version)\" is lost in the migration to \"automatic\": ",
                "column \"guest.fax\" is removed with its values; ",
                "if it is intended, declare it with `removingColumn(\"fax\", from: \"guest\")`",
                in: faults.map(\.message))
        }
        #expect(faults.map(\.ways) == [["2 → automatic", "\"2\" → automatic with a new key"], ["2 → 3 → automatic"]])
    }

    @Test func `a column that is declared as removed and never is`() async throws {
        let line = #line + 1
        let faults = try await GuestBook().proof().removingColumn("name", from: "guest").report().faults
        #expect(faults.count == 1)
        try expectFault(
            "column \"guest.name\" is declared as removed (StrongroomTestingTests/BrokenAutomaticTests.swift:\(line))",
            "no file lost it", in: faults.map(\.message))
    }

    /// What the guide "Migrations" warns of: `previously:` holds one name only.
    @Test func `a column that was renamed twice`() async throws {
        var book = GuestBook()
        book.tables = [
            TableSchema("guest", Tables.id, Column<String>("full_name", default: "", previously: "name"))
        ]
        let line = #line + 4
        let proof = MigrationProof(book)
            .release("2", tables: [TableSchema("guest", Tables.id, Column<String?>("label"))])
            .release("3", tables: [TableSchema("guest", Tables.id, Column<String?>("name", previously: "label"))])
            .planting(at: "2") { db in
                try db.execute("INSERT INTO guest (label) VALUES ('Ada')")
            } expecting: { db, version in
                let columns = ["2": "label", "3": "name", "automatic": "full_name"]
                return try db.value("SELECT \(name: columns[version] ?? "") FROM guest", as: String.self) == "Ada"
            }
        let faults = try await proof.report().faults.map(\.description)
        try expectFault("column \"guest.label\" is removed with its values", "2 → automatic", in: faults)
        let fault = try expectFault(
            """
            what was planted at "2" (StrongroomTestingTests/BrokenAutomaticTests.swift:\(line)) is not right at \
            "automatic"
            """, in: faults)
        #expect(!fault.contains("2 → 3 → automatic"))
    }

    @Test func `a value that does not fit`() async throws {
        let proof = MigrationProof(GuestBook())
            .release("2", tables: [Tables.second])
            .removingColumn("fax", from: "guest")
            .planting(at: "2") { db in
                try db.execute("INSERT INTO guest (label, visits) VALUES ('Ada', 'many')")
            } expecting: { _, _ in
                true
            }
        let faults = try await proof.report().faults.map(\.description)
        try expectFault("a file of \"2\" cannot be migrated to \"automatic\"", "visits", "[2 → automatic]", in: faults)
    }

    @Test(.enabled(if: try EngineFeatures.current().hasGeneratedColumns))
    func `values that a generated column replaces`() async throws {
        var book = GuestBook()
        book.tables = [
            TableSchema(
                "guest", Tables.id, Column<String>("label"), Column<String>("visits", default: "0"),
                Column<String?>("fax", generated: .virtual("label || visits")))
        ]
        let proof = MigrationProof(book)
            .release("2", tables: [Tables.second])
            .planting(at: "2") { db in
                try db.execute("INSERT INTO guest (label, fax) VALUES ('Ada', '1')")
            } expecting: { _, _ in
                true
            }
        let faults = try await proof.report().faults.map(\.description)
        try expectFault(
            "data of \"2\" is lost in the migration to \"automatic\"",
            "column \"guest.fax\" has other values than before", in: faults)
        let intended = try await proof.removingColumn("fax", from: "guest").report().faults
        #expect(intended.isEmpty, "\(intended)")
    }

    @Test func `a table that cannot become as in a new file`() async throws {
        let proof = MigrationProof(GuestBook())
            .release("1") { db in
                try db.execute("CREATE TABLE guest (id INTEGER PRIMARY KEY, label TEXT NOT NULL) WITHOUT ROWID")
            }
        let faults = try await proof.report().faults.map(\.description)
        try expectFault(
            "after the migration to today's tables, table \"guest\": an integer key that is the row id is no",
            in: faults)
    }

    @Test func `records that cannot be read`() async throws {
        let faults = try await MigrationProof(GuestBook()).records(of: Book.self).report().faults.map(\.description)
        try expectFault("the records Book of table \"book\" cannot be read", "a new file", in: faults)
    }

    @Test func `planted data that its own release does not have`() async throws {
        let proof = GuestBook().proof().planting(at: "3") { _ in
        } expecting: { db, version in
            version != "3"
        }
        let faults = try await proof.report().faults
        #expect(faults.map(\.ways) == [["\"3\""]])
        try expectFault("what was planted at \"3\"", "is not right at \"3\"", in: faults.map(\.message))
    }

    @Test func `a release that cannot be created, or data that cannot be planted`() async throws {
        let proof = MigrationProof(GuestBook())
            .release("1") { db in try db.execute("CREATE TABLE guest (") }
            .release("3", tables: [Tables.third])
            .planting(at: "3") { db in
                try db.execute("INSERT INTO nobody VALUES (1)")
            } expecting: { _, _ in
                true
            }
        let faults = try await proof.report().faults.map(\.description)
        #expect(faults.count == 2)
        try expectFault("a file of the release \"1\" (StrongroomTestingTests/BrokenAutomaticTests", in: faults)
        try expectFault(
            "a file of the release \"3\" (StrongroomTestingTests/BrokenAutomaticTests", "nobody", in: faults)
    }

    // MARK: Older programs

    @Test func `an older program that removes what it does not know`() async throws {
        let proof = MigrationProof(GuestBook())
            .release("3", tables: [Tables.third], removingColumns: true)
            .planting(at: "automatic", backTo: "3") { db in
                try Guest.insert(Guest(name: "Cleo", note: "first"), in: db)
            } expecting: { db, version in
                try version == "3" || db.value("SELECT note FROM guest") == "first"
            }
        let faults = try await proof.report().faults.map(\.description)
        try expectFault(
            "data of \"automatic\" is lost in the migration to \"3\": column \"guest.note\" is removed with its values",
            "[automatic → 3]", in: faults)
        try expectFault("is not right at \"automatic\"", "[automatic → 3 → automatic]", in: faults)
    }

    @Test func `an older program that knows a column by its former name`() async throws {
        let proof = MigrationProof(GuestBook())
            .release("2", tables: [Tables.second])
            .removingColumn("fax", from: "guest")
            .planting(at: "2", backTo: "2") { db in
                try db.execute("INSERT INTO guest (label) VALUES ('Ada')")
            } expecting: { db, _ in
                try db.value("SELECT count(*) FROM guest", as: Int.self) == 1
            }
        let faults = try await proof.report().faults.map(\.description)
        try expectFault("a file of \"2\" cannot be migrated to \"2\"", "[2 → automatic → 2]", in: faults)
    }

    // MARK: Declarations

    @Test(arguments: ["", "automatic", "2"])
    func `a release without a name of its own`(version: String) async throws {
        let faults = try await GuestBook().proof().release(version, tables: []).report().faults.map(\.message)
        #expect(faults.count == 1)
        try expectFault("the release \"\(version)\" (StrongroomTestingTests/Broken", "no name of its own", in: faults)
    }

    @Test func `data of a release that is not declared`() async throws {
        let proof = GuestBook().proof().planting(at: "4") { _ in
        } expecting: { _, _ in
            true
        }
        let faults = try await proof.report().faults.map(\.message)
        #expect(faults.count == 1)
        try expectFault("data is planted at \"4\"", "neither a declared release nor one of a fixture", in: faults)
    }

    @Test(arguments: ["1", "4"])
    func `data that is to be right back to a release that has no tables`(version: String) async throws {
        let proof = GuestBook().proof().planting(at: "2", backTo: version) { _ in
        } expecting: { _, _ in
            true
        }
        let faults = try await proof.report().faults.map(\.message)
        #expect(faults.count == (version == "1" ? faults.count : 1))
        try expectFault("is to be right back to \"\(version)\", which is no release that is declared", in: faults)
    }

    @Test func `releases of a migrator with steps`() async throws {
        let faults = try await Library().proof().release("1", tables: [Book.schema]).report().faults.map(\.message)
        #expect(faults.count == 1)
        try expectFault("is one of an automatic migrator, and this one has steps", in: faults)
    }

    @Test func `a file with a version history`() async throws {
        let directory = try TemporaryDirectory()
        let fixtures = directory.path("fixtures")
        try await Library().proof(fixtures: fixtures).recordFixture(version: "1")
        let faults = try await MigrationProof(GuestBook(), fixtures: fixtures).report().faults.map(\.description)
        try expectFault(
            "cannot be migrated to \"automatic\"", "is at version \"1\" of a migrator with steps", in: faults)
    }
}
