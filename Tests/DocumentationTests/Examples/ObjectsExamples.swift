import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("The examples of \"Objects that persist themselves\"")
struct ObjectsExamples {
    @Table("contact", in: "addressbook.sqlite")
    struct Contact {
        var id: UUID?
        var name: String
        var age: Int
        @Column(unique: true) var email: String?
        @Ignored var isSelected = false
    }

    @Table("visit", in: "addressbook.sqlite")
    struct Visit {
        var id: Int64?
        var contact: UUID?

        init(of contact: Contact) { self.contact = contact.id }
    }

    /// Address books whose schema no migrator keeps.
    private struct AddressBook: Configuration {
        static let target = "addressbook"

        let directory: String
        let key = Key.random()

        init(in directory: String) { self.directory = directory }

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }
    }

    private let own: TemporaryDirectory

    private var directory: String { own.path("books") }

    init() throws { own = try TemporaryDirectory() }

    /// Runs work with a registry of its own, and closes the stores.
    private func withStores(_ work: () async throws -> Void) async throws {
        let stores = try Stores(AddressBook(in: directory))
        try await Stores.$current.withValue(stores) { try await work() }
        try await stores.closeAll()
    }

    @Test func aTypeAloneIsEnough() async throws {
        try await withStores { () async throws in
            var ada = Contact(name: "Ada", age: 36)
            try await ada.save()  // inserted; ada.id is known now
            ada.age = 37
            try await ada.save()  // updated
            let adults = try await Contact.all(where: "age >= %d", 18)
            try await ada.delete()

            #expect(ada.id != nil && adults.map(\.id) == [ada.id] && adults.map(\.age) == [37])
            #expect(try await Contact.count() == 0)
        }
    }

    @Test func anObjectInMemory() async throws {
        try await withStores { () async throws in
            var ada = Contact(name: "Grace", age: 37)
            try await ada.save()

            var draft = Contact(name: "Ada", age: 36)
            try await draft.save(persistence: .memory)  // never in the file, gone when the store closes
            let both = try await Contact.all(where: "age > 30")  // those in memory and those in the file
            try await draft.save(persistence: .disk)  // in the file now, with the same key

            #expect(Set(both.map(\.id)) == [ada.id, draft.id])
            let store = try await Stores.current.open("addressbook.sqlite")
            #expect(try await store.read { db in try Contact.count(in: db) } == 2)
        }
    }

    @Test func aSaveBringsItsRowBack() async throws {
        try await withStores { () async throws in
            var ada = Contact(name: "Ada", age: 36)
            try await Contact.prepare()
            let store = try await Stores.current.open("addressbook.sqlite")
            try await store.write { db in
                try db.execute(
                    "CREATE TRIGGER aged AFTER INSERT ON contact BEGIN UPDATE contact SET age = age + 1; END")
            }

            try await ada.save()
            try await ada.reload()  // ada is as its row now

            #expect(ada.age == 37)
        }
    }

    @Test func aRuleChoosesTheRow() async throws {
        try await withStores { () async throws in
            var ada = Contact(name: "Ada", age: 36, email: "ada@example.org")
            try await ada.save()
            let key = ada.id
            ada.id = nil
            var contacts = [
                Contact(name: "Bob", age: 7, email: "bob@example.org"),
                Contact(name: "Ada L.", age: 37, email: "ada@example.org"),
            ]

            try await ada.save(.by(\.email))  // the row with her address; ada gets its key
            try await contacts.save(.by(\.email, nils: .keep))

            #expect(ada.id == key && contacts[1].id == key)
            #expect(try await Contact.all(orderBy: { $0.age.ascending }).map(\.name) == ["Bob", "Ada L."])
        }
    }

    @Test func aTaskHasAnotherRegistry() async throws {
        var ada = Contact(name: "Ada", age: 36)

        try await Stores.$current.withValue(try Stores(AddressBook(in: directory))) {
            try await ada.save()
        }

        #expect(ada.id != nil)
        #expect(FileManager.default.fileExists(atPath: "\(directory)/addressbook.sqlite"))
    }

    @Test func aTransactionHasBothOrNone() async throws {
        try await withStores { () async throws in
            try await Visit.prepare()
            try await Contact.prepare()

            let store = try await Stores.current.open("addressbook.sqlite")
            try await store.write { db in
                var ada = Contact(name: "Ada", age: 36)
                try Contact.save(&ada, in: db)
                var visit = Visit(of: ada)
                try Visit.save(&visit, in: db)  // both or none
            }

            #expect(try await Visit.all().map(\.contact) == Contact.all().map(\.id))
            struct Refusal: Error {}
            await #expect(throws: Refusal.self) {
                try await store.write { db in
                    var bob = Contact(name: "Bob", age: 7)
                    try Contact.save(&bob, in: db)
                    throw Refusal()
                }
            }
            #expect(try await Contact.all().map(\.name) == ["Ada"])
        }
    }

    @Test func aLiveObjectSavesItself() async throws {
        try await withStores { () async throws in
            var contact = Contact(name: "Ada", age: 36)
            try await contact.save()
            let key = try #require(contact.id)
            do {
                let ada = try await Contact.live(key, saving: .debounced(.seconds(2)))
                ada?.name = "Ada Lovelace"

                #expect(try await ada?.save() == .updated)
            }
            #expect(try await Contact.find(key)?.name == "Ada Lovelace")
        }
    }
}
