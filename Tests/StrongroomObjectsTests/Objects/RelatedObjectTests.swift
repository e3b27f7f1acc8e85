import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

private func customer(_ name: String, calls: [String], notes: [String] = []) -> Customer {
    Customer(
        name: name, calls: calls.map { text in Call(text: text, notes: notes.map { Remark(text: $0) }) },
        card: Badge(label: "card of \(name)"))
}

@Suite("Objects with children")
struct RelatedObjectTests {
    @Test func theTablesAreMadeAndTheCallsFollow() async throws {
        try await ObjectHome.run { _ in
            var ada = customer("Ada", calls: ["a", "b"], notes: ["x"])
            ada.employer = Company(name: "Engines")
            #expect(try await ada.save(cascading: true) == .inserted)
            var found = try await Customer.all()
            try await found.load(\.$calls)
            try await found.load(\.$card)
            try await found.load(\.$employer)
            #expect(found[0].calls.map(\.text) == ["a", "b"] && found[0].card?.label == "card of Ada")
            #expect(found[0].employer?.name == "Engines")
            var call = found[0].calls[0]
            try await call.load(\.$owner)
            #expect(call.owner?.name == "Ada")
            #expect(try await found.delete(cascading: true) == 1)
            #expect(try await Call.count() == 0)
            #expect(try await Remark.count() == 0)
        }
    }

    @Test func aChosenStoreFollowsThem() async throws {
        try await ObjectHome.run { home in
            let store = try await home.store
            var list = [customer("Ada", calls: ["a"]), customer("Bob", calls: ["b"])]
            try await store.write(&list) { db, list in try Customer.save(contentsOf: &list, cascading: true, in: db) }
            try await store.write(&list[0]) { db, first in try Customer.save(&first, cascading: true, in: db) }
            let isDeleted = try await store.write { [list] db in
                try Customer.delete(list[0], cascading: true, in: db)
            }
            #expect(isDeleted)
            #expect(try await Call.all().map(\.text) == ["b"])
        }
    }

    @Test func childrenInAnotherDatabaseAreRefused() async throws {
        try await ObjectHome.run { _ in
            try await expectFailure(.otherStore) {
                var sender = Sender(parcels: [Consignment()])
                try await sender.save(cascading: true)
            }
            var sender = Sender(parcels: [Consignment()])
            try await sender.save()
            let store = try await Stores.current.open("objects.sqlite")
            try await expectFailure(.otherStore) {
                var sender = Sender(parcels: [Consignment()])
                try await store.write(&sender) { db, sender in try Sender.save(&sender, cascading: true, in: db) }
            }
            try await expectFailure(.otherStore) {
                var list = [Sender(id: 1)]
                try await store.read(&list) { db, list in try Sender.load(\.$parcels, of: &list, in: db) }
            }
        }
    }

    @Test func childrenOfAChosenStoreAreReadFromIt() async throws {
        try await ObjectHome.run { home in
            let own = try await home.stores.open("objects_own.sqlite")
            var list = [customer("Ada", calls: ["of its own file"])]
            try await own.write(&list) { db, list in try Customer.save(contentsOf: &list, cascading: true, in: db) }
            var other = customer("Ada", calls: ["of the other one"])
            try await other.save(cascading: true)
            var found = try await own.table(Customer.self).all()
            try await own.read(&found) { db, found in try Customer.load(\.$calls, of: &found, in: db) }
            #expect(found.map { $0.calls.map(\.text) } == [["of its own file"]])
        }
    }
}
