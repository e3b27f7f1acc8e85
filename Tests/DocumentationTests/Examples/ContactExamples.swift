import Strongroom
import StrongroomTesting
import Testing

@Suite("Short examples, about contacts, of several articles")
struct ContactExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var calls: Int = 0
        var isActive: Bool = true
    }

    @Test func openingInCodeThatIsNotAsync() throws {
        let stores = try Stores(Place(tables: Contact.schema))

        let store = try stores.open("addressbook.sqlite")
        let count = try store.read { db in try Contact.count(in: db) }

        #expect(count == 0)
        try store.close()
    }

    @Test func aPartIsRolledBack() async throws {
        let store = try await TemporaryStore(Contact.self).store
        try await store.write { db in try Contact.insert(contentsOf: (1...101).map { Contact(name: "\($0)") }, in: db) }
        let contact = Contact(name: "Ada", calls: 1)

        try await store.write { db in
            try Contact.insert(contact, in: db)
            try db.savepoint { db in
                let count = try Contact.where { $0.calls == 0 }.delete(in: db)
                if count > 100 { try db.rollBack() }
            }
        }

        #expect(try await store.table(Contact.self).count() == 102)
    }

    @Test func conditionsAndSingleRows() async throws {
        let store = try await TemporaryStore(Contact.self).store
        try await store.write { db in
            try Contact.insert(
                contentsOf: [
                    Contact(name: "Ada", calls: 5), Contact(name: "Bob", calls: 5, isActive: false),
                    Contact(name: "Cleo"),
                ], in: db)
        }
        try await store.read { db in
            let busy = try Contact.where { $0.isActive && $0.calls > 3 }.fetch(in: db)

            let names = ["Ada", "Bob"]
            let some = try Contact.where { $0.name.isIn(names) }.fetch(in: db)

            let ada = try Contact.where { $0.name.lowercased() == "ada" }.first(in: db)

            let matches = try Contact.where { $0.name.contains("le") }.fetch(in: db)

            let isKnown = try Contact.where { $0.name == "Ada" }.exists(in: db)
            let number = try Contact.where { $0.calls == 0 }.count(in: db)

            let newest = try Contact.query.latest(in: db)  // the record with the highest key

            #expect(busy.map(\.name) == ["Ada"] && some.map(\.name) == ["Ada", "Bob"])
            #expect(ada?.name == "Ada" && matches.map(\.name) == ["Cleo"])
            #expect(isKnown && number == 1 && newest?.name == "Cleo")
        }
    }
}
