import Strongroom

/// The address book of the tutorial with a second key.
struct TutorialSecondKey {
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

    func openAddressBook(in directory: String) async throws -> Store {
        let stores = try Stores(AddressBook(directory: directory))
        let store = try await stores.open("addressbook_alice.sqlite")
        print(store.openReport.outcome, store.openReport.migration?.to ?? "")
        return store
    }

    func addTwo(to store: Store) async throws {
        try await store.write { db in
            try Contact.insert(Contact(name: "Grace", email: "grace@example.org"), in: db)
            try Contact.insert(Contact(name: "Ada", email: "ada@example.org"), in: db)
        }
    }

    func names(beginningWith prefix: String, in store: Store) async throws -> [String] {
        try await store.read { db in
            try Contact.where { $0.name.hasPrefix(prefix) }
                .order { $0.name.ascending }
                .fetch(in: db)
                .map(\.name)
        }
    }

    func keep(_ contact: Contact, in store: Store) async throws {
        try await store.write { db in
            try Contact.upsert(contact, .by(\.email, nils: .keep), in: db)
        }
    }

    func check(_ store: Store) async throws -> Bool {
        if let rotation = store.openReport.rotation, let old = rotation.from {
            print("from key \(old + 1) to key \(rotation.to + 1)")
        }
        return try await store.verify().isIntact
    }
}
