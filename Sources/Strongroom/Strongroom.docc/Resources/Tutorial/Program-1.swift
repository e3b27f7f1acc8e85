import Strongroom

func openAddressBook(in directory: String) async throws -> Store {
    let stores = try Stores(AddressBook(directory: directory))
    let store = try await stores.open("addressbook_alice.sqlite")
    print(store.openReport.outcome, store.openReport.migration?.to ?? "")
    return store
}
