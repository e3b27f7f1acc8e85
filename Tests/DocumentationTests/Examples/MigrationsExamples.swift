import Strongroom
import StrongroomTesting
import Testing

@Suite("The squashed list of \"Migrations\"")
struct MigrationsExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var phone: String?
    }

    private struct TooOld: Error {}

    private static let first = Migration("1") { db in
        try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    }
    private static let steps = Migrator(tables: [Contact.schema]) {
        first
        Migration("2") { db in try db.addColumn(Column<String?>("phone"), to: "contact") }
    }
    private static let squashed = Migrator(tables: [Contact.schema]) {
        for version in 1...2 {
            Migration("\(version)") { _ in throw TooOld() }
        }
        Migration("3") { db in try db.execute("CREATE INDEX contact_phone ON contact (phone)") }
    }

    /// Address books with one to which some migrations were applied.
    private func books(_ migrators: Migrator...) async throws -> AddressBooks {
        var books = try AddressBooks()
        for migrator in migrators {
            books.migrator = migrator
            try await Stores(books).open("addressbook_alice.sqlite").close()
        }
        books.migrator = Self.squashed
        return books
    }

    @Test func `a file at a version that was squashed gets what follows`() async throws {
        let books = try await books(Migrator { Self.first }, Self.steps)
        let store = try await Stores(books).open("addressbook_alice.sqlite")
        #expect(store.openReport.migration?.applied == ["3"] && store.openReport.migration?.changed == [])
        try await store.close()
    }

    @Test func `an older file is refused, and an earlier program migrates it first`() async throws {
        var books = try await books(Migrator { Self.first })
        let error = await #expect(throws: StrongroomError.self) {
            try await Stores(books).open("addressbook_alice.sqlite")
        }
        #expect(error?.code == .migrationFailed)
        books.migrator = Self.steps
        try await Stores(books).open("addressbook_alice.sqlite").close()
    }
}
