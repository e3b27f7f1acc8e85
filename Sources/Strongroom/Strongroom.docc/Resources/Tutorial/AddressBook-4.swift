import Strongroom

struct AddressBook: Configuration {
    static let target = "addressbook"
    let directory: String

    func filePath(for database: DatabaseName) -> String? {
        "\(directory)/\(database.fileName)"
    }

    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(.passphrase("first secret"), .passphrase("second secret"))
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
