import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Proving an automatic schema")
struct AutomaticProofTests {
    private let directory: TemporaryDirectory
    private let fixtures: String

    init() throws {
        directory = try TemporaryDirectory()
        fixtures = directory.path("fixtures")
    }

    @Test func `every release is proved on every way`() async throws {
        let report = try await GuestBook().proof().verify()
        #expect(
            report.ups == [
                "1 → automatic", "1 → 2 → automatic", "1 → 3 → automatic", "1 → 2 → 3 → automatic",
                "2 → automatic", "2 → 3 → automatic", "3 → automatic",
            ])
        #expect(report.downs.isEmpty)
        #expect(report.rotations == 3)
        // Each of four migrations has two statements at least, and each is interrupted by an error before the first and
        // after each one; three of them by a kill as well.
        #expect(report.interruptions >= 3 * 4 + 3 * 3)
        #expect(report.kept.isEmpty)
        #expect(report.leftOut.count == 1 && report.leftOut[0].hasPrefix("there is no directory"), "\(report)")
    }

    @Test func `what an automatic migrator keeps is reported`() async throws {
        var book = GuestBook()
        book.removingColumns = false
        let report = try await MigrationProof(book)
            .release("1") { db in
                try db.execute("CREATE TABLE guest (id INTEGER PRIMARY KEY, label TEXT NOT NULL, fax TEXT)")
                try db.execute("CREATE INDEX guest_fax ON guest (fax)")
                try db.execute("CREATE TABLE room (number INTEGER)")
            }
            .planting(at: "1") { db in
                try db.execute("INSERT INTO guest (label, fax) VALUES ('Ada', '+44 1')")
            } expecting: { db, _ in
                try db.value("SELECT fax FROM guest") == "+44 1"
            }
            .records(of: Guest.self)
            .verify()
        #expect(
            report.kept == [
                "column \"guest.fax\", in \"1\"", "index \"guest_fax\", in \"1\"", "table \"room\", in \"1\"",
            ])
        #expect(report.description.contains("kept: column \"guest.fax\", in \"1\""))
    }

    @Test func `values that are converted are not lost`() async throws {
        var book = GuestBook()
        book.tables = [
            TableSchema(
                "Guest", Column<Int64?>("ID", primaryKey: true), Column<String>("b", previously: "a"),
                Column<String>("c", previously: "b"), Column<Double>("visits"), Column<String>("note", default: "none"),
                Column<Decimal>("price"), Column<[UInt8]?>("data"), Column<String?>("zip"), history: .keep())
        ]
        let proof = MigrationProof(book)
            .release("1") { db in
                try db.execute(
                    """
                    CREATE TABLE guest (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, visits INTEGER, \
                    note TEXT, price TEXT NOT NULL, data TEXT, zip INTEGER)
                    """)
            }
            .planting(at: "1") { db in
                try db.execute("INSERT INTO guest VALUES (7, 'first', 'second', 12, NULL, '12.5', 'bytes', 12345)")
                try db.execute("INSERT INTO guest VALUES (9, 'first', 'second', 1, 'set', '-0.25', NULL, NULL)")
            } expecting: { db, version in
                guard version == "automatic" else { return true }
                let (names, zip): (SQL, SQL) = ("SELECT b || c FROM guest WHERE id = 7", "SELECT zip FROM guest")
                return try db.value(names) == "firstsecond" && db.value(zip) == "12345"
            }
        let report = try await proof.report()
        #expect(report.faults.map(\.description) == [])
        #expect(report.kept == [])
    }

    @Test func `without earlier releases only new files are proved, and the report says so`() async throws {
        let report = try await MigrationProof(GuestBook()).records(of: Guest.self, Guest(name: "Gil")).verify()
        #expect(report.ups.isEmpty)
        #expect(report.interruptions >= 3)
        #expect(report.leftOut.contains { $0.hasPrefix("earlier releases: declare them") })
    }

    // MARK: Older programs

    @Test func `an older program may open the file of a newer one as far back as a planting says`() async throws {
        let seen = Locked<[String]>([])
        let report = try await GuestBook().quickProof()
            .planting(at: "automatic", backTo: "3") { _ in
            } expecting: { db, version in
                seen.withLock { $0.append(version) }
                return try version == "automatic" || db.value("SELECT name FROM guest") == "Cleo"
            }
            .verify()
        #expect(report.downs == ["automatic → 3"])
        #expect(seen.withLock { Set($0) } == ["automatic", "3"])
    }

    // MARK: Fixtures

    @Test(arguments: [KeyProtection.direct, .envelope])
    func `a file that was recorded at a release is proved later`(protection: KeyProtection) async throws {
        var old = GuestBook()
        old.protection = protection
        old.tables = [GuestBook.Tables.second]
        let recording = MigrationProof(old, fixtures: fixtures)
            .planting(at: "2") { db in
                try db.execute("INSERT INTO guest (label, visits) VALUES ('Bob', '7')")
            } expecting: { _, _ in
                true
            }
        let url = try await recording.recordFixture(version: "2")
        let major = try EngineFeatures.current().cipherMajorVersion
        #expect(url.lastPathComponent == "2.cipher\(major).sqlite")
        let bytes = try Data(contentsOf: url)
        // Once it is there, it remains, also when the release is declared.
        #expect(try await GuestBook().proof(fixtures: fixtures).recordFixture(version: "2") == url)
        var book = GuestBook()
        book.protection = protection
        let report = try await book.proof(fixtures: fixtures).withoutInterruptions().verify()
        #expect(report.fixtures == [url.lastPathComponent])
        #expect(report.rotations == 4)
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `a fixture needs no declared release, and may have a key of its own`() async throws {
        let key = Key.random()
        try await copyFile(of: GuestBook.Tables.second, key: key, named: "0.9.sqlite")
        let proof = MigrationProof(GuestBook(), fixtures: fixtures)
            .removingColumn("fax", from: "guest")
            .planting(at: "0.9") { _ in
            } expecting: { db, version in
                try db.value(version == "automatic" ? "SELECT name FROM guest" : "SELECT label FROM guest") == "Zoe"
            }
        let report = try await proof.fixture("0.9.sqlite", key: key).verify()
        #expect(report.fixtures == ["0.9.sqlite"])
        #expect(report.interruptions > 3 && report.rotations == 1)
        let faults = try await proof.report().faults.map(\.description)
        try expectFault("a file of the release \"0.9\" cannot be opened with its key", "0.9.sqlite", in: faults)
    }

    private func copyFile(of table: TableSchema, key: Key, named name: String) async throws {
        let temporary = try TemporaryStores(GuestBook(tables: [table]), keys: KeyChain(key))
        let store = try await temporary.stores.open("guestbook.sqlite")
        try await store.write { db in try db.execute("INSERT INTO guest (label, fax) VALUES ('Zoe', '1')") }
        try await temporary.stores.closeAll()
        try FileManager.default.createDirectory(atPath: fixtures, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: temporary.directory.path("guestbook.sqlite"), toPath: "\(fixtures)/\(name)")
    }

    @Test func `a fixture that is not what its release is declared as is a fault`() async throws {
        try await copyFile(of: GuestBook.Tables.second, key: MigrationProof.fixtureKey, named: "3.sqlite")
        let proof = GuestBook().proof(fixtures: fixtures).withoutInterruptions()
        let faults = try await proof.report().faults.map(\.description)
        try expectFault(
            "the release \"3\" is not declared as its file was recorded: column \"guest.fax\"", "fixture 3.sqlite",
            in: faults)
    }

    @Test(arguments: ["", "automatic", "2"])
    func `a file of today's tables is not recorded as one of another release`(version: String) async throws {
        let error = await #expect(throws: StrongroomError.self) {
            try await GuestBook().proof(fixtures: fixtures).recordFixture(version: version)
        }
        #expect(error?.code == .invalidArgument)
    }
}

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
        let faults = try await GuestBook().quickProof().removingColumn("name", from: "guest").report().faults
        #expect(faults.count == 1)
        try expectFault(
            "column \"guest.name\" is declared as removed (StrongroomTestingTests/AutomaticProofTests.swift:\(line))",
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
            what was planted at "2" (StrongroomTestingTests/AutomaticProofTests.swift:\(line)) is not right at \
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
        let proof = GuestBook().quickProof().planting(at: "3") { _ in
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
        try expectFault("a file of the release \"1\" (StrongroomTestingTests/AutomaticProofTests", in: faults)
        try expectFault(
            "a file of the release \"3\" (StrongroomTestingTests/AutomaticProofTests", "nobody", in: faults)
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

    @Test func `a release without a name of its own`() async throws {
        let versions = ["", "automatic", "2"]
        let proof = versions.reduce(GuestBook().quickProof()) { $0.release($1, tables: []) }
        let faults = try await proof.report().faults.map(\.message)
        #expect(faults.count == 3)
        for version in versions {
            try expectFault(
                "the release \"\(version)\" (StrongroomTestingTests/Automatic", "no name of its own", in: faults)
        }
    }

    @Test func `data of a release that is not declared, or that is to be right back to one without tables`()
        async throws
    {
        var proof = GuestBook().quickProof()
        for (version, oldest) in [("4", nil), ("2", "1"), ("2", "4")] as [(String, String?)] {
            proof = proof.planting(at: version, backTo: oldest) { _ in
            } expecting: { _, _ in
                true
            }
        }
        let faults = try await proof.report().faults.map(\.message)
        try expectFault("data is planted at \"4\"", "neither a declared release nor one of a fixture", in: faults)
        for oldest in ["1", "4"] {
            try expectFault("must be correct back to \"\(oldest)\", which is no release that is declared", in: faults)
        }
    }

    @Test func `releases of a migrator with steps`() async throws {
        let faults = try await Library().quickProof().release("1", tables: [Book.schema]).report().faults
            .map(\.message)
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
