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
