import Strongroom
import StrongroomTesting
import Testing

/// The address book of the tutorial with a second migration, and its proof.
struct TutorialSecondVersion {
    @Table("contact")
    struct Contact {
        var id: Int64?
        var name: String
        @Column(unique: true) var email: String
        var phone: String?
    }

    struct AddressBook: Configuration {
        static let target = "addressbook"
        let directory: String

        func filePath(for database: DatabaseName) -> String? {
            "\(directory)/\(database.fileName)"
        }

        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(.passphrase("first secret"))
        }

        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator(tables: [Contact.schema]) {
                Migration("1") { db in
                    try db.execute(
                        """
                        CREATE TABLE contact (
                            id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE)
                        """)
                }
                Migration("2") { db in
                    try db.addColumn(Column<String?>("phone"), to: "contact")
                } down: { db in
                    try db.dropColumn("phone", from: "contact")
                }
            }
        }
    }

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
}
