#if Macros
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

    @Test func insideATransactionTheyJoinIt() async throws {
        struct Regret: Error {}
        try await ObjectHome.run { home async throws in
            try await Player.prepare()
            let store = try await home.store
            await #expect(throws: Regret.self) {
                try await store.write { db throws in
                    var ada = Player(name: "Ada")
                    try ada.save()
                    #expect(ada.id == 1)
                    #expect(try Player.all() == [ada])
                    #expect(try Player.find(1) == ada && Player.count() == 1)
                    #expect(try Player.count(in: db) == 1)
                    throw Regret()
                }
            }
            #expect(try await Player.count() == 0)
            try await store.write { db throws in
                var list = [Player(name: "Ada"), Player(name: "Bob"), Player(name: "Cyd")]
                try list.save()
                #expect(try list[0].delete())
                #expect(try Player.deleteAll { $0.name == "Bob" } == 1)
                #expect(try Player.first()?.name == "Cyd")
            }
            // Readers of the same thread are readers still.
            try await store.read { db throws in
                #expect(try Player.all(where: "name = 'Cyd'").count == 1)
                #expect(try Player.count { $0.name == "Bob" } == 0)
            }
        }
    }

    @Test func writingInsideAReadIsRefused() async throws {
        try await ObjectHome.run { home async throws in
            try await Player.prepare()
            let store = try await home.store
            try await store.read { db throws in
                var ada = Player(name: "Ada")
                let error = try expectFailure(.readOnly) { try ada.save() }
                #expect(error.message.contains("\"person\""))
                #expect(ada == Player(name: "Ada"))
                try expectFailure(.readOnly) { try Player.truncate() }
                try expectFailure(.readOnly) { try Player(id: 1, name: "Ada").delete() }
            }
            #expect(try await Player.count() == 0)
        }
    }

    @Test func aTransactionOfAnotherStoreIsRefused() async throws {
        try await ObjectHome.run { home async throws in
            try await Player.prepare()
            try await Parcel.prepare()
            let store = try await home.store
            try await store.write { db throws in
                var parcel = Parcel(label: "a")
                let error = try expectFailure(.otherStore) { try parcel.save() }
                #expect(error.message.contains("\"parcels.sqlite\"") && error.message.contains("\"objects.sqlite\""))
                try expectFailure(.otherStore) { try Parcel.all() }
                try expectFailure(.otherStore) { try Scrap.count() }
            }
            #expect(try await Parcel.count() == 0)
            // Inside transactions of both, each has its own.
            let parcels = try await home.stores.open("parcels.sqlite")
            try await store.write { db throws in
                try parcels.write { _ in
                    var (ada, parcel) = (Player(name: "Ada"), Parcel(label: "a"))
                    try ada.save()
                    try parcel.save()
                }
            }
            #expect(try await Player.count() == 1)
            #expect(try await Parcel.count() == 1)
        }
    }

    @Test func codeThatIsNotAsyncWaitsForItsTurn() async throws {
        let home = try ObjectHome()
        let store = try await home.store
        try await onThread { () throws in
            try Stores.$current.withValue(home.stores) { () throws in
                var ada = Player(name: "Ada")
                #expect(try ada.save() == .inserted)
                #expect(try Player.all() == [ada])
                var list = [Player(name: "Bob")]
                #expect(try list.save() == [.inserted])
                #expect(try list.delete() == 1 && ada.delete())
                #expect(try Player.count() == 0)
            }
        }
        try await store.close()
        try await onThread { () throws in
            try Stores.$current.withValue(home.stores) { () throws in
                let error = try expectFailure(.closed) { try Player.all() }
                #expect(error.message.contains("Stores.current.open(\"objects.sqlite\")"))
            }
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
                #expect(try Player.count() == 0)
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
            try await store.write { db throws in
                var other = Player(name: "other")
                try expectFailure(.otherStore) { try other.save() }
                #expect(try Player.save(&other, in: db) == .inserted)
            }
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
#endif
