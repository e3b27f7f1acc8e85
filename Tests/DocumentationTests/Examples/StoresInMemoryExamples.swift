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

        let search = try await Store.inMemory(Contact.self, Phone.self)  // some tables, no configuration
        let settings = StoreSettings(storage: .memory)  // a family that is never on the disk

        #expect(try await search.read { db in try db.tableNames() }.sorted() == ["contact", "phone"])
        var never = place
        never.settings = settings
        let stores = try Stores(never)
        let family = try await stores.open("addressbook.sqlite")
        #expect(family.storage == .memory && family.opening.migration?.schemaChanges.isEmpty == false)
        for store in [search, family] {
            try await store.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
            #expect(try await store.table(Contact.self).count() == 1)
            try await store.close()
        }
        let path = place.directory.path("addressbook.sqlite")
        #expect(try await Stores.diagnose(path: path).finding == .absent)
        let again = try await stores.open("addressbook.sqlite")
        #expect(try await again.table(Contact.self).count() == 0)
        try await again.close()
    }
}
