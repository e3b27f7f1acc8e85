import Strongroom
import StrongroomTesting
import Testing

@Suite("Loading relations of one record and of many")
struct LoadTests {
    private func store() async throws -> Store {
        let store = try await Store.inMemory(Company.self, Customer.self, Call.self, Remark.self, Badge.self)
        var customers = [
            Customer(name: "Ada", calls: [Call(text: "a"), Call(text: "b")], employer: Company(name: "Engines")),
            Customer(name: "Bob", calls: [Call(text: "c")]),
        ]
        try await store.write(&customers) { db, customers in
            try Customer.save(contentsOf: &customers, cascading: true, in: db)
        }
        return store
    }

    @Test func oneRecordInATransaction() async throws {
        try await store().read { db throws in
            var ada = try #require(try Customer.find(1, in: db))
            try Customer.load(\.$calls, of: &ada, in: db)
            try Customer.load(\.$employer, of: &ada, in: db)
            #expect(ada.calls.map(\.text) == ["a", "b"] && ada.employer?.name == "Engines")
        }
    }

    @Test func oneRecordAndManyOfTheCaller() async throws {
        let store = try await store()
        var all = try await store.table(Customer.self).all()
        try await store.read(&all) { db, all in try Customer.load(\.$calls, of: &all, in: db) }
        #expect(all.map { $0.calls.map(\.text) } == [["a", "b"], ["c"]])
        try await store.read(&all[0]) { db, first in try Customer.load(\.$employer, of: &first, in: db) }
        #expect(all[0].employer?.name == "Engines" && all[0].calls.count == 2)
    }

    @Test func severalRelationsInOneSnapshot() async throws {
        let store = try await store()
        var all = try await store.table(Customer.self).all()
        try await store.read(&all) { db, all in
            try Customer.load(\.$calls, of: &all, in: db)
            try Customer.load(\.$employer, of: &all, in: db)
            all.removeAll { $0.employer == nil }
        }
        #expect(all.map { $0.calls.count } == [2])
    }

    @Test func aFailureLeavesTheRecordAsItIs() async throws {
        let store = try await store()
        var ada = Customer(id: 1, name: "Ada", calls: [Call(text: "unsaved")])
        let before = ada
        try await store.close()
        await #expect(throws: StrongroomError.self) {
            try await store.read(&ada) { db, ada in try Customer.load(\.$calls, of: &ada, in: db) }
        }
        #expect(ada == before)
    }
}
