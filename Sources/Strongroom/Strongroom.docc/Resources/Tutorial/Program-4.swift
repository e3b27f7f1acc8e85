import Strongroom

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
