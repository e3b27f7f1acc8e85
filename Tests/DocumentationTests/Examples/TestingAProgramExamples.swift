import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Testing a program that stores\"")
struct TestingAProgramExamples {
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

    private struct Contacts: Configuration {
        static let target = "contacts"
        var migrator: Migrator? { .automatic(tables: [Contact.schema]) }

        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.random()) }
        func migrator(for database: DatabaseName) -> Migrator? { migrator }
    }

    private func rename(_ contact: Contact, to name: String, in store: Store) async throws {
        var renamed = contact
        renamed.name = name
        try await store.write { [renamed] db in try Contact.update(renamed, in: db) }
    }

    @Test func aContactIsRenamed() async throws {
        let store = try await Store.inMemory(Contact.self, Phone.self)
        var contact = Contact(name: "Ada")
        try await store.write(&contact) { db, contact in try Contact.save(&contact, .insert, in: db) }
        try await rename(contact, to: "Grace", in: store)
        #expect(try await store.table(Contact.self).all().map(\.name) == ["Grace"])
    }

    @Test func readersDoNotWait() async throws {
        let temporary = try await TemporaryStore(Contact.self, Phone.self)
        try await temporary.store.write { try Contact.insert(Contact(name: "Ada"), in: $0) }
        let count = try await temporary.store.read { db in try Contact.count(in: db) }
        #expect(count == 1)
    }

    @Test func theProgramsOwnConfiguration() async throws {
        let temporary = try TemporaryStores(Contacts()) { settings in settings.readers = 1 }
        let store = try await temporary.stores.open("contacts_alice.sqlite")
        #expect(store.opening.outcome == .created)
        try await temporary.stores.closeAll()
    }
}
