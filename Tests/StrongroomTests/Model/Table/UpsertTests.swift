import Strongroom
import StrongroomTesting
import Testing

/// The steps: the row with the unique value, else the row with the key, else a new row.
struct UpsertTests {
    private static let ada = Contact(id: 1, name: "Ada", email: "ada", phone: "1", score: 1, photo: [1])
    private static let bo = Contact(id: 2, name: "Bo", email: "bo", phone: "2", score: 2, photo: [2])

    private static func makeStore() async throws -> Store {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in try Contact.insert(contentsOf: [ada, bo], in: db) }
        return store
    }

    /// Checks what an upsert gives and what the table holds afterwards.
    private func expect(
        _ record: Contact,
        nils: NilPolicy,
        gives outcome: Saved,
        _ key: Int64,
        leaving contacts: [Contact],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let store = try await Self.makeStore()
        let result = try await store.write { db in try Contact.upsert(record, .by(\.email, nils: nils), in: db) }
        #expect(result.outcome == outcome, sourceLocation: sourceLocation)
        #expect(result.key == key, sourceLocation: sourceLocation)
        let all = try await store.table(Contact.self).all()
        #expect(all == contacts, sourceLocation: sourceLocation)
    }

    @Test func theRowWithTheUniqueValueIsUpdatedAndKeepsItsKey() async throws {
        var changed = Contact(name: "Ada L.", email: "ada", phone: "9", score: 9, photo: [])
        var expected = changed
        expected.id = 1
        for nils in [NilPolicy.overwrite, .keep] {
            try await expect(changed, nils: nils, gives: .updated, 1, leaving: [expected, Self.bo])
        }
        // The record's own key does not count, whether it is free or another row's.
        for key: Int64 in [77, 2, 1] {
            changed.id = key
            try await expect(changed, nils: .overwrite, gives: .updated, 1, leaving: [expected, Self.bo])
        }
    }

    @Test func nilOverwritesOrKeepsWhatTheUniqueRowHas() async throws {
        let sparse = Contact(name: "Ada L.", email: "ada", phone: nil, score: 9, photo: [])
        var expected = sparse
        expected.id = 1
        try await expect(sparse, nils: .overwrite, gives: .updated, 1, leaving: [expected, Self.bo])
        expected.phone = "1"
        try await expect(sparse, nils: .keep, gives: .updated, 1, leaving: [expected, Self.bo])
    }

    @Test func elseTheRowWithTheKeyIsUpdated() async throws {
        let moved = Contact(id: 2, name: "Bob", email: "bob", phone: "9", score: 9, photo: [])
        for nils in [NilPolicy.overwrite, .keep] {
            try await expect(moved, nils: nils, gives: .updated, 2, leaving: [Self.ada, moved])
        }
    }

    @Test func nilOverwritesOrKeepsWhatTheRowWithTheKeyHas() async throws {
        var moved = Contact(id: 2, name: "Bob", email: "bob", phone: nil, score: 9, photo: [])
        try await expect(moved, nils: .overwrite, gives: .updated, 2, leaving: [Self.ada, moved])
        let given = moved
        moved.phone = "2"
        try await expect(given, nils: .keep, gives: .updated, 2, leaving: [Self.ada, moved])
    }

    @Test func elseTheRecordIsInserted() async throws {
        for nils in [NilPolicy.overwrite, .keep] {
            var new = Contact(name: "Cy", email: "cy", phone: nil, score: 3, photo: [3])
            let keyless = new
            new.id = 3
            try await expect(keyless, nils: nils, gives: .inserted, 3, leaving: [Self.ada, Self.bo, new])
            new.id = 40
            try await expect(new, nils: nils, gives: .inserted, 40, leaving: [Self.ada, Self.bo, new])
        }
    }

    @Test func byThePrimaryKeyTheRowIsUpdatedOrTheRecordInserted() async throws {
        try await Self.makeStore().write { db in
            let sparse = Contact(id: 2, name: "Bob", email: "bob", phone: nil, score: 9, photo: [])
            #expect(try Contact.upsert(sparse, .by(\.id, nils: .keep), in: db).outcome == .updated)
            #expect(try Contact.find(2, in: db)?.phone == "2")
            #expect(try Contact.upsert(sparse, in: db).outcome == .updated)
            #expect(try Contact.find(2, in: db) == sparse)
            let given = try Contact.upsert(Contact(id: 9, email: "9"), .by(\.id), in: db)
            #expect(given.outcome == .inserted)
            #expect(given.key == 9)
            for nils in [NilPolicy.overwrite, .keep] {
                let made = try Contact.upsert(Contact(email: "new \(nils)"), .by(\.id, nils: nils), in: db)
                #expect(made.outcome == .inserted)
                #expect(try Contact.find(made.key, in: db)?.email == "new \(nils)")
            }
            #expect(try Contact.count(in: db) == 5)
        }
    }

    @Test func aTextKeyIsUpsertedAndNotMade() async throws {
        try await TemporaryStore(tables: [Named.schema]).store.write { db in
            #expect(try Named.upsert(Named("a", 1), in: db).outcome == .inserted)
            let result = try Named.upsert(Named("a", 2), .by(\.name), in: db)
            #expect(result.outcome == .updated)
            #expect(result.key == "a")
            try expectFailure(.missingKey) { try Named.upsert(Named(nil, 3), in: db) }
            #expect(try Named.all(in: db) == [Named("a", 2)])
        }
    }

    @Test func aUniqueColumnThatIsNilIsAnErrorAndNothingChanges() async throws {
        try await TemporaryStore(tables: [Note.schema]).store.write { db in
            try Note.insert(contentsOf: [Note("a", level: 1), Note(nil, slug: "s", level: 2)], in: db)
            let before = try Note.all(in: db)
            for nils in [NilPolicy.overwrite, .keep] {
                for key: Int64? in [nil, 1, 2, 99] {
                    let byTitle = try expectFailure(.missingKey) {
                        try Note.upsert(Note(id: key, nil, slug: "t", level: 9), .by(\.title, nils: nils), in: db)
                    }
                    #expect(byTitle.message.contains("\"title\""))
                    try expectFailure(.missingKey) {
                        try Note.upsert(Note(id: key, "t", level: 9), .by(\.slug, nils: nils), in: db)
                    }
                }
            }
            #expect(try Note.all(in: db) == before)
        }
    }

    @Test func aColumnWithAUniqueIndexOfItsOwnCounts() async throws {
        try await TemporaryStore(tables: [Note.schema]).store.write { db in
            try Note.insert(Note("a", slug: "s", level: 1), in: db)
            let result = try Note.upsert(Note("b", slug: "s", level: 2), .by(\.slug), in: db)
            #expect(result.outcome == .updated)
            #expect(try Note.all(in: db).map(\.title) == ["b"])
        }
    }

    @Test func aColumnThatIsNotUniqueIsRefusedAndNothingChanges() async throws {
        try await TemporaryStore(tables: [Note.schema, Contact.schema]).store.write { db in
            try Note.insert(Note("a", level: 1), in: db)
            let before = try Note.all(in: db)
            for _ in 1...2 {
                let error = try expectFailure(.notDeclared) {
                    try Note.upsert(Note(id: 1, "b", level: 2), .by(\.code), in: db)
                }
                #expect(error.message.contains("\"code\""))
                // Unique only together with another column.
                try expectFailure(.notDeclared) { try Note.upsert(Note(id: 1, "b", level: 2), .by(\.mood), in: db) }
                try expectFailure(.notDeclared) { try Note.upsert(Note(id: 1, "b", level: 2), .by(\.level), in: db) }
                // A plain index.
                try expectFailure(.notDeclared) { try Contact.upsert(Contact(id: 1), .by(\.name), in: db) }
            }
            #expect(try Note.all(in: db) == before)
            #expect(try Contact.count(in: db) == 0)
        }
    }
}

struct UpsertTransactionTests {
    private struct Stop: Error {}

    @Test func anUpsertBelongsToTheCallersTransaction() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        await #expect(throws: Stop.self) {
            try await store.write { db in
                for contact in Contact.samples(4) { try Contact.upsert(contact, .by(\.email), in: db) }
                for contact in Contact.samples(4) { try Contact.upsert(contact, .by(\.email), in: db) }
                #expect(try Contact.count(in: db) == 4)
                throw Stop()
            }
        }
        #expect(try await store.table(Contact.self).count() == 0)
        try await store.write { db in
            try Contact.upsert(Contact(email: "kept"), .by(\.email), in: db)
            #expect(throws: Stop.self) {
                try db.savepoint { db in
                    try Contact.upsert(Contact(name: "undone", email: "kept"), .by(\.email), in: db)
                    throw Stop()
                }
            }
        }
        #expect(try await store.table(Contact.self).all().map(\.name) == ["Ada"])
    }

    @Test func aFailedUpsertLeavesNothingOfItselfAndTheRestOfTheTransaction() async throws {
        let store = try await TemporaryStore(tables: [Note.schema]).store
        try await store.write { db in
            try Note.insert(contentsOf: [Note("a", slug: "a", level: 1), Note("b", slug: "b", level: 2)], in: db)
            let before = try Note.all(in: db)
            let failing = [
                Note("a", slug: "b", level: 5), Note(id: 2, "c", slug: "a", level: 5), Note("c", slug: "b", level: 5),
                Note(id: 3, "c", slug: "a", level: 5),
            ]
            for nils in [NilPolicy.overwrite, .keep] {
                for note in failing {
                    let error = try expectFailure(.constraint) {
                        try Note.upsert(note, .by(\.title, nils: nils), in: db)
                    }
                    #expect(error.message.contains("note.slug"))
                    #expect(try Note.all(in: db) == before)
                }
            }
            try Note.upsert(Note("c", slug: "c", level: 6), .by(\.title), in: db)
        }
        #expect(try await store.table(Note.self).all().map(\.title) == ["a", "b", "c"])
    }

    @Test func aValueThatCannotBeStoredFailsEveryStep() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try Contact.insert(Contact(id: 1, email: "a"), in: db)
            for contact in [
                Contact(email: "a", score: .nan), Contact(id: 1, email: "b", score: .nan),
                Contact(email: "c", score: .nan),
            ] {
                try expectFailure(.valueNotStorable) { try Contact.upsert(contact, .by(\.email), in: db) }
            }
            #expect(try Contact.all(in: db) == [Contact(id: 1, email: "a")])
        }
    }

    /// The engine's own upsert knows fewer cases; both engines must do the same.
    @Test func randomUpsertsDoWhatAModelDoes() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        var generator = SeededGenerator(61)
        let steps = (0..<600).map { _ in
            let contact = Contact(
                id: generator.sometimesNil { Int64.random(in: 1...12, using: &$0) },
                name: generator.text(upTo: 3),
                email: "\(Int.random(in: 1...8, using: &generator))",
                phone: generator.sometimesNil { $0.text(upTo: 2) }
            )
            return (contact, generator.next().isMultiple(of: 2) ? NilPolicy.keep : .overwrite)
        }
        try await store.write { db in
            var model: [Int64: Contact] = [:]
            for (contact, nils) in steps {
                let (expected, isNew) = Self.upsert(contact, nils, &model)
                let result = try Contact.upsert(contact, .by(\.email, nils: nils), in: db)
                try #require(result.key == expected)
                try #require((result.outcome == .inserted) == isNew)
            }
            #expect(try Contact.all(in: db) == model.values.sorted { ($0.id ?? 0) < ($1.id ?? 0) })
            #expect(model.count == 8)
        }
    }

    private static func upsert(_ contact: Contact, _ nils: NilPolicy, _ model: inout [Int64: Contact]) -> (Int64, Bool)
    {
        var contact = contact
        let present = model.values.first { $0.email == contact.email } ?? contact.id.flatMap { model[$0] }
        let key = present?.id ?? contact.id ?? (model.keys.max() ?? 0) + 1
        contact.id = key
        if nils == .keep, let present { contact.phone = contact.phone ?? present.phone }
        model[key] = contact
        return (key, present == nil)
    }
}
