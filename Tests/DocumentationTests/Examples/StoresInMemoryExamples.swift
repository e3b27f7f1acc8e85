import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Stores in memory\"")
struct StoresInMemoryExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
    }

    @Table("phone")
    struct Phone {
        var id: Int64?
        var number: String
    }

    @Test func aWholeStoreInMemory() async throws {
        let place = try Place(tables: Contact.schema)
        let stores = try Stores(place)

        let search = try await Store.inMemory(Contact.self, Phone.self)  // some tables, no configuration
        let test = try await stores.open("addressbook_test.sqlite", in: .memory)  // a family's migrator and settings
        let settings = StoreSettings(storage: .memory)  // a family that is never on the disk

        #expect(try await search.read { db in try db.tableNames() }.sorted() == ["contact", "phone"])
        #expect(test.storage == .memory && test.opening.migration?.schemaChanges.isEmpty == false)
        var never = place
        never.settings = settings
        let third = try await Stores(never).open("addressbook.sqlite")
        for store in [search, test, third] {
            try await store.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
            #expect(try await store.table(Contact.self).count() == 1)
            try await store.close()
        }
        let path = place.directory.path("addressbook.sqlite")
        #expect(try await Stores.diagnose(path: path).finding == .absent)
        let again = try await stores.open("addressbook_test.sqlite", in: .memory)
        #expect(try await again.table(Contact.self).count() == 0)
        try await again.close()
    }
}
