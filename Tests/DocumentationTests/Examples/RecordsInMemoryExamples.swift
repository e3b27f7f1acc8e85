#if Macros
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Records in memory\"")
struct RecordsInMemoryExamples {
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

    @Table("order")
    struct Order {
        var id: Int64?
        var customer: String
        @HasMany var items: [Item] = []

        static let relations: Relations<Order>? = Relations().hasMany(\.$items, by: \.order)
    }

    @Table("item")
    struct Item {
        var id: Int64?
        var article: String
        @Column(references: Reference("order")) var order: Int64?
    }

    @Test func aRecordWithItsChildren() async throws {
        let store = try await Stores(Place(tables: Order.schema, Item.schema)).open("addressbook.sqlite")
        var order = Order(customer: "Ada", items: [Item(article: "nut"), Item(article: "bolt")])

        let draft = try await store.write(&order) { db, order in
            try Order.save(&order, persistence: .memory, cascading: true, in: db)  // a draft with its items
            return order.id ?? 0
        }
        let number = try await store.write { try Order.persist(draft, in: $0) }  // both in the file
        let back = try await store.write { try Order.moveToMemory(number, in: $0) }  // both in memory only

        #expect(order.id == -1 && number == 1 && back < -1)
        let items = try await store.table(Item.self).all()
        #expect(items.map(\.order) == [back, back] && items.map(\.article).sorted() == ["bolt", "nut"])
        #expect(try await store.read { db in try db.value("SELECT count(*) FROM main.item", as: Int.self) } == 0)
        try await store.close()
    }

    @Test func aListWithItsChildren() async throws {
        let store = try await Stores(Place(tables: Order.schema, Item.schema)).open("addressbook.sqlite")
        var drafts = [Order(customer: "Ada", items: [Item(article: "nut")]), Order(customer: "Bo")]

        try await store.write(&drafts) { db, drafts in
            try Order.save(contentsOf: &drafts, persistence: .memory, cascading: true, in: db)
        }
        try await store.write(&drafts) { db, drafts in  // all or none
            try Order.save(contentsOf: &drafts, persistence: .disk, cascading: true, in: db)
        }

        #expect(drafts.map(\.id) == [1, 2])
        #expect(try await store.read { db in try db.value("SELECT count(*) FROM main.item", as: Int.self) } == 1)
        try await store.close()
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

    @Test func singleRecordsInMemory() async throws {
        let stores = try Stores(Place(tables: Contact.schema))
        let store = try await stores.open("addressbook.sqlite")
        let (contact, other) = (Contact(name: "Alan"), Contact(name: "Ada"))

        let draft = try await store.write { db in
            try Contact.insert(contact, in: db)  // in the file
            return try Contact.insert(other, persistence: .memory, in: db)  // in memory, until the store closes
        }
        let page = try await store.read { db in
            try Contact.where { $0.name.hasPrefix("A") }.order { $0.name.ascending }.limit(20).fetch(in: db)  // both
        }
        let key = try await store.write { db in try Contact.persist(draft, in: db) }  // now in the file

        #expect(page.map(\.name) == ["Ada", "Alan"])
        #expect(draft < 0 && key > 0)
        let passing = try await store.write { db in
            try Contact.insert(Contact(name: "Cleo"), persistence: .memory, in: db)
        }
        #expect(try await store.read { db in try Contact.keysInMemory(in: db) } == [passing])
        try await store.close()
        let again = try await stores.open("addressbook.sqlite")
        #expect(try await again.table(Contact.self).all().map(\.name) == ["Alan", "Ada"])
        try await again.close()
    }
}
#endif
