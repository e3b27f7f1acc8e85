import Strongroom
import StrongroomTesting
import Testing

/// The steps: the row with the unique value, else the row with the key, else a new row.
struct UpsertTests {
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
                    try expectFailure(.missingKey, saying: "\"title\"") {
                        try Note.upsert(Note(id: key, nil, slug: "t", level: 9), .by(\.title, nils: nils), in: db)
                    }
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
                try expectFailure(.notDeclared, saying: "\"code\"") {
                    try Note.upsert(Note(id: 1, "b", level: 2), .by(\.code), in: db)
                }
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
                    try expectFailure(.constraint, saying: "note.slug") {
                        try Note.upsert(note, .by(\.title, nils: nils), in: db)
                    }
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
}
