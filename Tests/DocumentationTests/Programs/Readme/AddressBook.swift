#if Macros
import Strongroom

private let secret = "correct horse battery staple"

@Configuration("addressbook")
struct AddressBook {
    func keyChain(for database: DatabaseName) async throws -> KeyChain { try KeyChain(.passphrase(secret)) }
}

@Table("contact", in: "addressbook_alice.sqlite")
struct Contact {
    var id: Int64?
    var name: String
    @Column(unique: true) var email: String
}

func keepAContact() async throws {
    try await Contact.prepare()
    let contact = Contact(name: "Ada", email: "ada@example.org")

    let store = try await Stores.shared.open("addressbook_alice.sqlite")
    try await store.write { db in try Contact.upsert(contact, by: \.email, in: db) }
    let page = try await store.read { db in
        try Contact.where { $0.name.hasPrefix("A") }.order { $0.name.ascending }.limit(20).fetch(db)
    }

    print(page.map(\.name))
    try await Stores.shared.closeAll()
}
#endif
