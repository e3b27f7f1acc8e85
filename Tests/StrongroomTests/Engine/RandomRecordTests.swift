import Strongroom
import StrongroomTesting
import Testing

/// A few thousand records that nobody thought of: what goes in comes out.
struct RandomRecordTests {
    private static func contact(_ number: Int, _ generator: inout SeededGenerator) -> Contact {
        Contact(
            id: generator.sometimesNil { Int64(truncatingIfNeeded: $0.next() >> 2) },
            name: generator.text(),
            email: "\(number) \(generator.text())",
            phone: generator.sometimesNil { $0.text() },
            score: generator.number(),
            photo: generator.bytes()
        )
    }

    private static func contacts(_ count: Int, seed: UInt64) -> [Contact] {
        var generator = SeededGenerator(seed)
        return (0..<count).map { contact($0, &generator) }
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func whatGoesInComesOut(seed: UInt64) async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let contacts = Self.contacts(1_000, seed: seed)
        let keys = try await store.write { db in try Contact.insert(contentsOf: contacts, in: db) }
        var expected = contacts
        for (index, key) in keys.enumerated() {
            if let given = contacts[index].id { #expect(key == given) }
            expected[index].id = key
        }
        let stored = expected
        try await store.read { db in
            let found = try Contact.find(keys, in: db)
            #expect(found == stored)
            let all = try Contact.all(in: db)
            #expect(all == stored.sorted { ($0.id ?? 0) < ($1.id ?? 0) })
        }
    }

    @Test func whatIsUpdatedComesOut() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let keys = try await store.write { db in
            try Contact.insert(contentsOf: Self.contacts(1_000, seed: 21), in: db)
        }
        let changed = zip(keys, Self.contacts(1_000, seed: 22)).map { key, contact in
            var contact = contact
            contact.id = key
            contact.email += " changed"
            return contact
        }
        try await store.write { db in try Contact.update(contentsOf: changed, in: db) }
        let found = try await store.table(Contact.self).find(keys)
        #expect(found == changed)
    }

    @Test func whatIsUpsertedComesOut() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let first = Self.contacts(500, seed: 31)
        let keys = try await store.write { db in
            try first.map { try Contact.upsert($0, .by(\.email), in: db).key }
        }
        let second = zip(first, Self.contacts(500, seed: 32)).map { old, new in
            var new = new
            new.id = nil
            new.email = old.email
            return new
        }
        try await store.write { db in
            for (contact, key) in zip(second, keys) {
                let result = try Contact.upsert(contact, .by(\.email), in: db)
                #expect(result.outcome == .updated)
                #expect(result.key == key)
            }
            var expected = second
            for index in expected.indices { expected[index].id = keys[index] }
            #expect(try Contact.find(keys, in: db) == expected)
        }
    }
}
