import StrongroomTesting
import Testing

@Test func theAddressBookMigrates() async throws {
    try await MigrationProof(AddressBook(directory: "/nowhere"))
        .planting(at: "1") { db in
            try db.execute("INSERT INTO contact (name, email) VALUES ('Ada', 'ada@example.org')")
        } expecting: { db, _ in
            try db.value("SELECT name FROM contact") == "Ada"
        }
        .records(of: Contact.self)
        .verify()
}
