#if Macros
import Strongroom

private let secret = "correct horse battery staple"

@Configuration("addressbook")
struct AddressBook {
    func keyChain(for database: DatabaseName) async throws -> KeyChain { try KeyChain(.passphrase(secret)) }
}

extension AddressBook {
    func migrator(for database: DatabaseName) -> Migrator? {
        .automatic(tables: [Contact.schema, ArchivedContact.schema])
    }
}

@Table("contact", in: "addressbook.sqlite")
struct Contact {
    var id: Int64?
    var name: String
    @Column("e-mail", unique: true) var email: String
    var phone: String?
}

@Table("archive", of: Contact.self)
enum ArchivedContact {}

@Record
struct NameCard {
    var name: String
    @Column("e-mail") var email: String
}

func keepAContact() async throws {
    let contact = Contact(name: "Ada", email: "ada@example.org")

    let store = try await Stores.shared.open("addressbook_alice.sqlite")
    try await store.write { db in try Contact.upsert(contact, .by(\.email), in: db) }
    let page = try await store.read { db in
        try Contact.where { $0.name.hasPrefix("A") }
            .order { $0.name.ascending }.limit(20).fetch(in: db)
    }

    print(page.map(\.name))
    try await Stores.shared.closeAll()
}

func archiveAContact() async throws {
    let contact = Contact(name: "Bob", email: "bob@example.org")
    let store = try await Stores.shared.open("addressbook_bob.sqlite")
    try await store.write { db in try ArchivedContact.truncate(in: db) }

    try await store.write { db in try ArchivedContact.insert(contact, in: db) }
    let cards = try await store.read { db in
        try Contact.where { $0.phone == nil }.fetch(as: NameCard.self, in: db)
    }

    print(cards.count, try await store.table(ArchivedContact.self).all().map(\.email))
    try await store.write { db in try Contact.insert(contact, in: db) }
    let more = try await store.read { db in try Contact.query.fetch(as: NameCard.self, in: db) }
    print(more.map(\.email))
    try await store.write { db in try Contact.truncate(in: db) }
    try await Stores.shared.closeAll()
}
#endif
