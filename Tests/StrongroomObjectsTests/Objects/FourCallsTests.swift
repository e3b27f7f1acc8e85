import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Calls on a type", .ending)
struct FourCallsTests {
    @Test func anObjectIsSavedFoundAndDeleted() async throws {
        try await ObjectHome.run { home async throws in
            var ada = Player(name: "Ada", age: 36)
            #expect(try await ada.save() == .inserted)
            #expect(ada.id == 1)
            ada.age = 37
            #expect(try await ada.save() == .updated)
            #expect(try await Player.all() == [ada])
            #expect(try await Player.find(1) == ada)
            #expect(try await ada.delete())
            #expect(try await !ada.delete())
            #expect(try await Player.all() == [])
        }
    }

    @Test func theStoreIsThatOfTheTablesDatabase() async throws {
        try await ObjectHome.run { home async throws in
            var (ada, parcel, scrap) = (Player(name: "Ada"), Parcel(label: "a"), Scrap(text: "b"))
            try await ada.save()
            try await parcel.save()
            try await scrap.save()
            for (name, table) in [("objects", "person"), ("parcels", "parcel"), ("strongroom", "scrap")] {
                let tables = try await home.stores.open("\(name).sqlite").read { db in try db.tableNames() }
                #expect(tables == [table])
            }
        }
        #expect(Stores.defaultDatabaseName == "strongroom.sqlite")
        // No test registers that target in the program's own registry.
        try await expectFailure(.noConfiguration) { try await Scrap.count() }
    }

    @Test func listsAreSavedAndDeletedAsAWhole() async throws {
        try await ObjectHome.run { home async throws in
            var people = (1...50).map { Player(name: "\($0)", email: "\($0)") }
            #expect(try await people.save() == Array(repeating: .inserted, count: 50))
            #expect(try await Player.all() == people)
            var more = [Player(name: "new"), Player(name: "double", email: "7")]
            let before = more
            do {
                try await more.save()
                Issue.record("a double address was saved")
            } catch let error as StrongroomError {
                #expect(error.code == .constraint)
            }
            #expect(more == before)
            #expect(try await Player.count() == 50)
            #expect(try await people.delete() == 50)
            #expect(try await Player.count() == 0)
        }
    }

    @Test func aTaskOfATransactionIsNotInsideIt() async throws {
        try await ObjectHome.run { home async throws in
            try await Player.prepare()
            let store = try await home.store
            let outcome = Locked<Task<Saved, any Error>?>(nil)
            try await store.write { db throws in
                let task = Task {
                    var ada = Player(name: "Ada")
                    return try await home.use { try await ada.save() }
                }
                outcome.withLock { $0 = task }
                #expect(try Player.count(in: db) == 0)
            }
            #expect(try await outcome.withLock { $0 }?.value == .inserted)
        }
    }

    @Test func aFamilysStoreIsGiven() async throws {
        let home = try ObjectHome()
        for name in ["objects_a.sqlite", "objects_b.sqlite"] {
            let store = try await home.stores.open(name)
            var ada = Player(name: name)
            let first = try await store.write(&ada) { db, ada in try Player.save(&ada, in: db) }
            let second = try await store.write(&ada) { db, ada in try Player.save(&ada, in: db) }
            #expect(first == .inserted && second == .updated && ada.id == 1)
            var list = [Player(name: "b"), Player(name: "c")]
            let saved = try await store.write(&list) { db, list in try Player.save(contentsOf: &list, in: db) }
            #expect(saved == [.inserted, .inserted])
            let isDeleted = try await store.write { [list] db in try Player.delete(list[0], in: db) }
            #expect(isDeleted)
            #expect(try await store.table(Player.self).all() == [ada, list[1]])
        }
        try await home.stores.closeAll()
    }

    @Test func manyTasksSaveAtOnce() async throws {
        try await ObjectHome.run { home async throws in
            try await withThrowingTaskGroup(of: Int64?.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        var person = Player(name: "\(number)")
                        try await person.save()
                        return person.id
                    }
                }
                var keys: Set<Int64?> = []
                for try await key in group { keys.insert(key) }
                #expect(keys.count == 200 && !keys.contains(nil))
            }
            #expect(try await Player.count() == 200)
        }
    }
}
