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

    @Test func `with an envelope the same is proved`() async throws {
        var book = GuestBook()
        book.protection = .envelope
        #expect(try await book.proof().verify().rotations == 3)
    }

    static let otherSettings = [
        StoreSettings(readers: 1, migration: .manual), StoreSettings(isReadOnly: true, readers: 1),
        StoreSettings(storage: .memory, readers: 1),
    ]

    @Test(arguments: otherSettings.indices)
    func `files are created and migrated whatever the settings are`(number: Int) async throws {
        var book = GuestBook()
        book.settings = Self.otherSettings[number]
        #expect(try await book.proof().verify().ups.count == 7)
    }

    @Test func `a configuration that never rotates is proved without rotation`() async throws {
        var book = GuestBook()
        book.settings.rotation = .never
        let report = try await book.proof().verify()
        #expect(report.rotations == 0)
        #expect(report.leftOut.contains { $0.contains("rotation") })
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
        let report = try await GuestBook().proof()
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
        let report = try await book.proof(fixtures: fixtures).verify()
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
        let faults = try await GuestBook().proof(fixtures: fixtures).report().faults.map(\.description)
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
