import Strongroom
import StrongroomTesting
import Testing

@Suite("Variables of the caller in a read or a write")
struct ChangedValueTests {
    @Test func variablesThatNothingChangesAnyMoreAreUsedAsTheyAre() async throws {
        let store = try await Store.inMemory(Contact.self)
        var contact = Contact()
        contact.name = "Grace"
        try await store.write { db in try Contact.insert(contact, in: db) }
        // Read afterwards.
        let before = contact
        var name = ""
        for letter in before.name { name.append(letter) }
        // Used by a closure inside, and not afterwards.
        let found = try await store.read { db in try Contact.where { $0.name == name }.fetch(in: db) }
        #expect(found.map(\.name) == [before.name])
    }

    @Test func aValueIsChangedWithTheCommit() async throws {
        let store = try await Store.inMemory(Contact.self)
        var contact = Contact()
        let count = try await store.write(&contact) { db, contact in
            try Contact.save(&contact, .insert, in: db)
            contact.name = "Grace"
            try Contact.update(contact, in: db)
            return try Contact.count(in: db)
        }
        #expect(count == 1 && contact == Contact(id: 1, name: "Grace"))
        var both = (Contact(email: "a"), Contact(email: "b"))
        try await store.write(&both, as: .immediate, label: "both") { db, both in
            try Contact.save(&both.0, .insert, in: db)
            try Contact.save(&both.1, .insert, in: db)
        }
        #expect(both.0.id == 2 && both.1.id == 3)
        try await store.read(&contact, label: "again") { db, contact in
            contact = try #require(try Contact.find(3, in: db))
        }
        #expect(contact == both.1)
    }

    @Test func aFailureLeavesTheValueAsItIs() async throws {
        let store = try await Store.inMemory(Contact.self)
        try await store.write { db in try Contact.insert(Contact(), in: db) }
        var contact = Contact(email: "other")
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write(&contact) { db, contact in
                try Contact.save(&contact, .insert, in: db)
                contact.email = Contact().email
                try Contact.update(contact, in: db)
            }
        }
        #expect(error?.code == .constraint && contact == Contact(email: "other"))
        await #expect(throws: Refusal(number: 1)) {
            try await store.read(&contact) { _, contact in
                contact.name = "x"
                throw Refusal(number: 1)
            }
        }
        #expect(contact == Contact(email: "other"))
        try await store.close()
        await #expect(throws: StrongroomError.self) {
            try await store.write(&contact) { _, contact in contact.name = "x" }
        }
        #expect(contact == Contact(email: "other"))
    }
}
