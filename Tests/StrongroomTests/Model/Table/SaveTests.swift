import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Saving records")
struct SaveTests {
    @Test func aRecordThatIsRefusedIsUnchangedAndSoIsTheTable() async throws {
        try await TemporaryStore(tables: [Contact.schema, Named.schema]).store.write { db throws in
            try Contact.insert(Contact(email: "taken"), in: db)
            var contact = Contact(email: "taken")
            try expectFailure(.constraint) { try Contact.save(&contact, in: db) }
            #expect(contact == Contact(email: "taken"))
            #expect(try Contact.count(in: db) == 1)
            var named = Named(nil)
            try expectFailure(.missingKey) { try Named.save(&named, in: db) }
        }
    }

    @Test func aListIsSavedInOrderWithItsKeys() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            try Contact.insert(contentsOf: Contact.samples(3), in: db)
            var list = Contact.samples(100, first: 10)
            list[50] = Contact(id: 2, email: "changed")
            list[51] = Contact(id: 500, email: "given")
            let outcomes = try Contact.save(contentsOf: &list, in: db)
            #expect(outcomes.count == 100 && outcomes[50] == .updated)
            #expect(outcomes.enumerated().allSatisfy { $0 == 50 || $1 == .inserted })
            #expect(list.map(\.id) == Array(4...53) + [2, 500] + Array(501...548))
            #expect(try Contact.find(list.compactMap(\.id), in: db) == list)
            #expect(try Contact.count(in: db) == 102)
        }
    }

    @Test func aListIsSavedAsAWholeOrNotAtAll() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            var first = Contact(email: "first")
            try Contact.save(&first, in: db)
            first.name = "changed"
            var list = [first] + Contact.samples(40) + [Contact(email: "first")]
            let before = list
            try expectFailure(.constraint) { try Contact.save(contentsOf: &list, in: db) }
            #expect(list == before)
            #expect(try Contact.all(in: db).map(\.name) == ["Ada"])
            var none: [Contact] = []
            #expect(try Contact.save(contentsOf: &none, in: db) == [])
        }
    }

    /// Saving a list of new records asks the engine no more than inserting it does: that is what it costs.
    @Test func newRecordsOfAListTakeTheStatementsOfAnInsert() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        @Sendable func statements(_ work: (borrowing WriteTransaction) throws -> Void) throws -> Int {
            let count = Tally()
            try store.write { db throws in
                try db.watchingStatements { _, _ in
                    count.add()
                } _: {
                    try work(db)
                }
            }
            return count.value
        }
        let (inserted, saved) = try await onThread { () throws in
            var list = Contact.samples(1_000, first: 10_000)
            return (
                try statements { db in try Contact.insert(contentsOf: Contact.samples(1_000), in: db) },
                try statements { db in try Contact.save(contentsOf: &list, in: db) }
            )
        }
        // The savepoint around the list.
        #expect(saved <= inserted + 2)
        #expect(inserted < 100)
    }
}
