import Strongroom

func openAddressBook(in directory: String) async throws -> Store {
    let stores = try Stores(AddressBook(directory: directory))
    let store = try await stores.open("addressbook_alice.sqlite")
    print(store.opening.outcome, store.opening.migration?.to ?? "")
    return store
}
