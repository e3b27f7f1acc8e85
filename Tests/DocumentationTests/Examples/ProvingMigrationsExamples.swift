import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Proving migrations\"")
struct ProvingMigrationsExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var phone: String?
        @Column(default: "") var email = ""
    }

    @Table("account")
    struct Account: Equatable {
        var id: Int64?
        @Column(check: "cents >= 0") var cents: Int
    }

    private struct AddressBook: Configuration {
        static let target = "addressbook"

        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator(tables: [Contact.schema]) {
                Migration("1") { db in
                    try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT)")
                }
                Migration("2") { db in
                    try db.addColumn(Column<String>("email", default: ""), to: "contact")
                }
            }
        }
    }

    /// An address book with two mistakes: its first version knew no default, and its third loses the names.
    private enum Faulty {
        struct AddressBook: Configuration {
            static let target = "addressbook"

            func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
            func migrator(for database: DatabaseName) -> Migrator? {
                Migrator(tables: [Contact.schema]) {
                    Migration("1") { db in
                        try db.execute(
                            """
                            CREATE TABLE contact
                                (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT, email TEXT NOT NULL)
                            """)
                    }
                    Migration("2") { db in try db.execute("UPDATE contact SET phone = '?' WHERE phone = ''") }
                    Migration("3") { db in try db.execute("UPDATE contact SET name = ''") }
                }
            }
        }
    }

    private let own: TemporaryDirectory

    private var proof: MigrationProof { MigrationProof(AddressBook(), fixtures: own.path("fixtures")) }

    init() throws { own = try TemporaryDirectory() }

    @Test func theAddressBookMigrates() async throws {
        try await MigrationProof(AddressBook())
            .planting(at: "1") { db in
                try db.execute("INSERT INTO contact (name, phone) VALUES ('Ada', '+44 1')")
            } expecting: { db, version in
                try db.value("SELECT name FROM contact") == "Ada"
            }
            .records(of: Contact.self, Contact(name: "Gil"))
            .verify()
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["RECORD"] != nil, "RECORD=1 records it"))
    func record() async throws {
        try await proof.recordFixture(version: "2")
    }

    @Test func aFileOfAReleasedVersionIsRecordedAndProved() async throws {
        try await record()
        let major = try EngineFeatures.current().cipherMajorVersion
        #expect(FileManager.default.fileExists(atPath: own.path("fixtures/2.cipher\(major).sqlite")))
        let report = try await proof.verify()
        #expect(report.fixtures.count == 1 && report.faults.isEmpty)
    }

    @Test func faultsAreToldAsTheArticleShowsThem() async throws {
        let shown = try #require(try Documentation.examples(of: "ProvingMigrations.md").first { $0.language.isEmpty })
        let proof = MigrationProof(Faulty.AddressBook())
            .planting(at: "1", fileID: "Tests/Proof.swift", line: 9) { db in
                try db.execute("INSERT INTO contact (name, email) VALUES ('Ada', 'ada@example.org')")
            } expecting: { db, _ in
                try db.value("SELECT name FROM contact") == "Ada"
            }
            .records(of: Contact.self, Contact(name: "Gil"))
        let failure = await #expect(throws: MigrationProof.Failure.self) {
            try await proof.verify(fileID: "Tests/Proof.swift", line: 12)
        }
        #expect(failure?.description == shown.text)

        let report = try await proof.report()
        #expect(report.changes == ["3: column \"contact.name\""])
    }

    @Test func statementsArePinned() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store

        try await store.expectSQL("DELETE FROM `contact` WHERE `id` = ?1") { db in try Contact.delete(1, in: db) }

        let error = await #expect(throws: UnexpectedSQL.self) {
            try await store.expectSQL("DELETE FROM `contact`") { db in try Contact.delete(1, in: db) }
        }
        #expect(error?.actual == ["DELETE FROM `contact` WHERE `id` = ?1"])
    }

    @Test func whatAWriteDidBeforeItWasInterruptedIsUndone() async throws {
        let store = try await TemporaryStore(tables: [Account.schema]).store
        let (savings, checking): (Int64, Int64) = (1, 2)
        try await store.write { db in try Account.insert(contentsOf: [Account(cents: 500), Account(cents: 0)], in: db) }
        @Sendable func transfer(
            _ cents: Int, from source: Int64, to target: Int64, in db: borrowing WriteTransaction
        ) throws {
            try Account.update(source, in: db) { [$0.cents.set($0.cents - cents)] }
            try Account.update(target, in: db) { [$0.cents.set($0.cents + cents)] }
        }

        await #expect(throws: Interruption.self) {
            try await store.withInterruption(after: 1) { db in
                try transfer(100, from: savings, to: checking, in: db)
            }
        }

        #expect(try await store.table(Account.self).all().map(\.cents) == [500, 0])
    }

    // MARK: Automatic schemas

    @Table("guest")
    struct GuestOfRelease11 {
        var id: Int64?
        var name: String
        var visits = 0
    }

    @Table("guest")
    struct Guest: Equatable {
        var id: Int64?
        var name: String
        var visits: Int64 = 0
        @Column(default: "") var note = ""
    }

    private struct GuestBook: Configuration {
        static let target = "guestbook"

        var tables = [Guest.schema]
        var key = Key.random()

        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }
        func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: tables, removingColumns: true) }
    }

    @Test func everyReleaseOfTheGuestBookOpens() async throws {
        try await MigrationProof(GuestBook())
            .release("1.0") { db in
                try db.execute("CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT NOT NULL, fax TEXT)")
            }
            .release("1.1", tables: [GuestOfRelease11.schema])
            .removingColumn("fax", from: "guest")
            .planting(at: "1.0") { db in
                try db.execute("INSERT INTO guest (name, fax) VALUES ('Ada', '+44 1')")
            } expecting: { db, version in
                try db.value("SELECT name FROM guest") == "Ada"
            }
            .records(of: Guest.self, Guest(name: "Gil"))
            .verify()
    }

    @Test func aFileWithAKeyOfItsOwnIsProved() async throws {
        let oldKey = Key.random()
        let book = GuestBook(tables: [GuestOfRelease11.schema], key: oldKey)
        let temporary = try TemporaryStores(book, keys: KeyChain(oldKey))
        let store = try await temporary.stores.open("guestbook.sqlite")
        try await store.close()
        let guests = URL(filePath: own.path("guests"))
        try FileManager.default.createDirectory(at: guests, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: URL(filePath: temporary.directory.path("guestbook.sqlite")), to: guests.appending(path: "1.0.sqlite"))

        let proof = MigrationProof(GuestBook(), fixtures: own.path("guests"))
            .fixture("1.0.sqlite", key: oldKey)

        #expect(try await proof.verify().fixtures == ["1.0.sqlite"])
    }
}
