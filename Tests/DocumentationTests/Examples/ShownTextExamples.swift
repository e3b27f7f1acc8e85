import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Texts and SQL that guides show")
struct ShownTextExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var phone: String?
        @Column(default: "") var email = ""
    }

    enum Aged {
        @Table("contact")
        struct Contact {
            var id: Int64?
            var name: String
            var age: Int
            var email: String?
        }
    }

    enum Dated {
        @Table("contact")
        struct Contact {
            var id: Int64?
            var createdAt: Date
        }
    }

    @Table("receipt")
    struct Receipt {
        var id: Int64?
        var price: Decimal
    }

    /// An address book with two mistakes: its first version knew no default, and its third loses the names.
    private struct AddressBook: Configuration {
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

    private func shown(_ language: String, in article: String) throws -> [String] {
        try Documentation.examples(of: article).filter { $0.language == language }.map(\.text)
    }

    @Test func `an error in a predicate is shown with its position`() throws {
        let text = try #require(try shown("", in: "PredicatesAsText.md").first)
        let error = #expect(throws: StrongroomError.self) { try Aged.Contact.where("name == 'Ada' AND agee > 18") }
        #expect(error?.code == .invalidPredicate)
        #expect(error?.message == text)
    }

    @Test func `a proof says which migrations are wrong`() async throws {
        let text = try #require(try shown("", in: "ProvingMigrations.md").first)
        let proof = MigrationProof(AddressBook())
            .planting(at: "1", fileID: "Tests/Proof.swift", line: 9) { db in
                try db.execute("INSERT INTO contact (name, email) VALUES ('Ada', 'ada@example.org')")
            } expecting: { db, _ in
                try db.value("SELECT name FROM contact") == "Ada"
            }
            .records(of: Contact.self, Contact(name: "Gil"))
        let failure = await #expect(throws: MigrationProof.Failure.self) {
            try await proof.verify(fileID: "Tests/Proof.swift", line: 12)
        }
        #expect(failure?.description == text)
        #expect(try await proof.report().changes == ["3: column \"contact.name\""])
    }

    @Test func `a stored date is read in SQL`() async throws {
        let query = try #require(try shown("sql", in: "Types.md").first)
        let store = try await TemporaryStore(tables: [Dated.Contact.schema]).store
        let date = try Date("2026-11-21T20:15:00Z", strategy: .iso8601)
        try await store.write { db in try Dated.Contact.insert(Dated.Contact(createdAt: date), in: db) }
        let text = try await store.read { db in try db.value(SQL(stringLiteral: query), as: String.self) }
        #expect(text == "2026-11-21 20:15:00")
    }

    @Test(arguments: [(Decimal(12.5), "12.5"), (-3, "-3"), (0, "0")])
    func `a stored decimal is read in SQL`(price: Decimal, digits: String) async throws {
        let query = try #require(try shown("sql", in: "Types.md").last)
        let store = try await TemporaryStore(tables: [Receipt.schema]).store
        try await store.write { db in try Receipt.insert(Receipt(price: price), in: db) }
        let text = try await store.read { db in try db.value(SQL(stringLiteral: query), as: String.self) }
        #expect(text == digits)
    }
}
