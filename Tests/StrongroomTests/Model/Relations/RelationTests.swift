import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A store with the tables of the relations.
func withTables(_ work: @Sendable @escaping (borrowing WriteTransaction) throws -> Void) async throws {
    let tables = [
        Company.schema, Customer.schema, Call.schema, Remark.schema, Badge.schema, Place.schema, Folder.schema,
        Album.schema, Song.schema, Verse.schema, Picture.schema, Traveller.schema, Passport.schema, Stamp.schema,
        Mark.schema,
    ]
    try await TemporaryStore(tables: tables).store.write { db in try work(db) }
}

private func customer(_ name: String, calls: [String], notes: [String] = []) -> Customer {
    Customer(
        name: name, calls: calls.map { text in Call(text: text, notes: notes.map { Remark(text: $0) }) },
        card: Badge(label: "card of \(name)"))
}

@Suite("Saving with children and parents")
struct CascadingSaveTests {
    @Test func childrenGetTheKeyOfTheirParentAndTheirOwn() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["b", "a", "c"], notes: ["x", "y"])
            ada.employer = Company(name: "Engines")
            #expect(try Customer.save(&ada, cascading: true, in: db) == .inserted)
            #expect(ada.id == 1 && ada.company != nil && ada.company == ada.employer?.id)
            #expect(ada.calls.map(\.id) == [1, 2, 3] && ada.calls.allSatisfy { $0.customer == 1 })
            #expect(ada.calls.map(\.place) == [0, 1, 2])
            #expect(ada.calls.flatMap(\.notes).map(\.call) == [1, 1, 2, 2, 3, 3])
            #expect(ada.card?.id != nil && ada.card?.customer == 1)

            #expect(try Call.all(in: db).map(\.text) == ["b", "a", "c"])
            #expect(try Remark.count(in: db) == 6 && Badge.count(in: db) == 1)
            #expect(try Company.all(in: db).map(\.name) == ["Engines"])
            #expect(try Customer.find(1, in: db)?.company == ada.company)
        }
    }

    @Test func withoutCascadeOnlyTheRecordIsSaved() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a"])
            ada.employer = Company(name: "Engines")
            try Customer.save(&ada, in: db)
            #expect(try Call.count(in: db) == 0 && Badge.count(in: db) == 0 && Company.count(in: db) == 0)
            #expect(ada.calls.count == 1 && ada.calls[0].id == nil)
        }
    }

    @Test func theOrderOfAListIsKept() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a", "b", "c"])
            try Customer.save(&ada, cascading: true, in: db)
            ada.calls.reverse()
            ada.calls.insert(Call(text: "new"), at: 1)
            try Customer.save(&ada, cascading: true, in: db)
            var found = try #require(try Customer.find(1, in: db))
            try Customer.load(\.$calls, of: &found, in: db)
            #expect(found.calls.map(\.text) == ["c", "new", "b", "a"])
        }
    }

    @Test func orphansAreDeletedWithTheirsOrDetached() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a", "b"], notes: ["x", "y"])
            try Customer.save(&ada, cascading: true, in: db)
            ada.calls[1].notes.removeFirst()
            ada.calls.removeFirst()
            ada.card = Badge(label: "another")
            try Customer.save(&ada, cascading: true, in: db)
            #expect(try Call.all(in: db).map(\.text) == ["b"])
            // Of the call that is gone both, with it; of the other the first one stays without it.
            #expect(try Remark.all(in: db).map(\.call) == [nil, 2])
            #expect(try Badge.all(in: db).map(\.label) == ["another"])
            ada.card = nil
            try Customer.save(&ada, cascading: true, in: db)
            #expect(try Badge.count(in: db) == 0)
        }
    }

    @Test func orphansThatAreToBeKeptGoOnReferring() async throws {
        try await withTables { db throws in
            var europe = Place(name: "Europe", inside: [Place(name: "Bonn"), Place(name: "Rom")])
            try Place.save(&europe, cascading: true, in: db)
            europe.inside = []
            try Place.save(&europe, cascading: true, in: db)
            #expect(try Place.all(in: db).map(\.parent) == [nil, 1, 1])
        }
    }

    @Test func whatWasNotLoadedIsNotChanged() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a", "b"])
            try Customer.save(&ada, cascading: true, in: db)
            var found = try #require(try Customer.find(1, in: db))
            #expect(found.calls.isEmpty && !found.$calls.isLoaded && !found.$card.isLoaded)
            found.calls.append(Call(text: "c"))
            try Customer.save(&found, cascading: true, in: db)
            #expect(try Call.all(in: db).map(\.text) == ["a", "b", "c"])
            // Nor does it count as loaded by that.
            #expect(try Badge.count(in: db) == 1 && !found.$calls.isLoaded)
            try Customer.load(\.$calls, of: &found, in: db)
            #expect(found.calls.map(\.text) == ["a", "b", "c"] && found.$calls.isLoaded)
        }
    }

    @Test func rowsThatOthersAddedOrDeletedAreNoOrphans() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a", "b"])
            var bob = customer("Bob", calls: [])
            try Customer.save(&ada, cascading: true, in: db)
            try Customer.save(&bob, cascading: true, in: db)
            try Call.insert(Call(text: "of another task", customer: 1), in: db)
            try Call.where { $0.text == "a" }.update(in: db) { [$0.customer.set(2)] }
            ada.calls.removeAll()
            try Customer.save(&ada, cascading: true, in: db)
            #expect(try Call.all(in: db).map(\.text) == ["a", "of another task"])
        }
    }

    @Test func aChildCanMoveToAnotherParentOfTheList() async throws {
        try await withTables { db throws in
            var both = [customer("Ada", calls: ["a", "b"], notes: ["x"]), customer("Bob", calls: ["c"])]
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            both = try Customer.all(in: db)
            try Customer.load(\.$calls, of: &both, in: db)
            both[1].calls.append(both[0].calls.removeFirst())
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            try Customer.load(\.$calls, of: &both, in: db)
            #expect(both.map { $0.calls.map(\.text) } == [["b"], ["c", "a"]])
            #expect(both.map { $0.calls.map(\.id) } == [[2], [3, 1]])
            // It was not deleted meanwhile, and its own children with it.
            #expect(try Remark.all(in: db).map(\.call) == [1, 2])
        }
    }

    @Test func parentsAreSavedBeforeAndOnlyOnce() async throws {
        try await withTables { db throws in
            let company = Company(name: "Engines")
            var list = [Customer(name: "Ada", employer: company)]
            try Customer.save(contentsOf: &list, cascading: true, in: db)
            let saved = try #require(list[0].employer)
            var others = (0..<3).map { Customer(name: "\($0)", employer: saved) }
            others[1].employer?.name = "not the first with this key"
            try Customer.save(contentsOf: &others, cascading: true, in: db)
            #expect(try Company.all(in: db) == [Company(id: saved.id, name: "Engines")])
            #expect(try Customer.all(in: db).allSatisfy { $0.company == saved.id })
        }
    }

    @Test func aCircleComesToAnEnd() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a"])
            try Customer.save(&ada, cascading: true, in: db)
            // The child has its parent, which has the child.
            var stale = ada
            stale.name = "stale"
            ada.calls[0].owner = stale
            ada.name = "Ada Lovelace"
            try Customer.save(&ada, cascading: true, in: db)
            #expect(try Customer.all(in: db).map(\.name) == ["Ada Lovelace"])
            #expect(try Call.count(in: db) == 1)

            try db.execute("CREATE TABLE log (text)")
            try db.execute("CREATE TRIGGER logs AFTER UPDATE ON call BEGIN INSERT INTO log VALUES (new.text); END")
            var call = ada.calls[0]
            call.text = "changed"
            call.owner = ada
            try Call.save(&call, cascading: true, in: db)
            // Not also as the child that its parent has.
            #expect(try db.value("SELECT group_concat(text) FROM log", as: String.self) == "changed")

            var inner = Place(name: "inner")
            var outer = Place(name: "outer")
            try Place.save(&outer, in: db)
            inner.inside = [outer]
            outer.inside = [inner]
            try Place.save(&outer, cascading: true, in: db)
            #expect(try Place.all(in: db).map(\.name) == ["outer", "inner"])
            #expect(try Place.all(in: db).map(\.parent) == [2, 1])
        }
    }

    @Test func aFailureUndoesAllOfIt() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a"], notes: ["x"])
            ada.employer = Company(name: "Engines")
            let taken = UUID()
            try Badge.insert(Badge(id: taken, label: "taken"), in: db)
            try Place.insert(Place(id: 1, name: "Bonn"), in: db)
            ada.calls[0].notes[0].id = 7
            ada.calls.append(Call(text: "b", notes: [Remark(text: "refers to nothing")]))
            ada.card?.customer = 5
            var broken = [ada, Customer(name: "Bob", company: UUID(), calls: [Call(id: 1, text: "the same")])]
            broken[1].employer = nil
            let before = broken
            // The only column that refuses something here.
            try db.execute(
                """
                CREATE TRIGGER refuses BEFORE INSERT ON remark WHEN new.text = 'refers to nothing' BEGIN SELECT \
                RAISE(ABORT, 'no'); END
                """
            )
            try expectFailure(.constraint) { try Customer.save(contentsOf: &broken, cascading: true, in: db) }
            #expect(broken == before && broken[0].id == nil && !broken[0].$calls.isLoaded)
            #expect(try Customer.count(in: db) == 0 && Call.count(in: db) == 0 && Remark.count(in: db) == 0)
            #expect(try Company.count(in: db) == 0 && Badge.count(in: db) == 1)
        }
    }

    @Test func aThousandParentsAreReadWithTwoStatements() async throws {
        let tables = [Company.schema, Customer.schema, Call.schema, Remark.schema, Badge.schema]
        let store = try await TemporaryStore(tables: tables).store
        try await onThread { () throws in
            try store.write { db throws in
                var list = (0..<1_000).map { number in customer("\(number)", calls: ["\(number) a", "\(number) b"]) }
                try Customer.save(contentsOf: &list, cascading: true, in: db)
            }
            try store.write { db throws in
                let count = Tally()
                var found: [Customer] = []
                try db.watchingStatements { _, _ in
                    count.add()
                } _: {
                    found = try Customer.all(in: db)
                    try Customer.load(\.$calls, of: &found, in: db)
                }
                #expect(count.value == 2)
                #expect(found.count == 1_000)
                #expect(found.allSatisfy { $0.calls.map(\.text) == ["\($0.name) a", "\($0.name) b"] })
            }
        }
    }
}

@Suite("Deleting with children")
struct CascadingDeleteTests {
    @Test func allThatRefersToARecordIsDeletedWithIt() async throws {
        try await withTables { db throws in
            var both = [
                customer("Ada", calls: ["a", "b"], notes: ["x"]), customer("Bob", calls: ["c"], notes: ["y"]),
            ]
            both[0].employer = Company(name: "Engines")
            try Customer.save(contentsOf: &both, cascading: true, in: db)
            // Loaded or not.
            let found = try #require(try Customer.find(1, in: db))
            #expect(try Customer.delete(found, cascading: true, in: db))
            #expect(try Customer.all(in: db).map(\.name) == ["Bob"])
            #expect(try Call.all(in: db).map(\.text) == ["c"] && Remark.count(in: db) == 1 && Badge.count(in: db) == 1)
            #expect(try Company.count(in: db) == 1)
            #expect(try !Customer.delete(found, cascading: true, in: db))
        }
    }

    @Test func withoutCascadeTheForeignKeyDecides() async throws {
        try await withTables { db throws in
            var ada = customer("Ada", calls: ["a"])
            try Customer.save(&ada, cascading: true, in: db)
            try expectFailure(.constraint) { try Customer.delete(ada, in: db) }
            #expect(try Customer.count(in: db) == 1)
        }
    }

    @Test func aCircleAndALongLineComeToAnEnd() async throws {
        try await withTables { db throws in
            try Place.insert(contentsOf: [Place(id: 1, name: "a"), Place(id: 2, name: "b", parent: 1)], in: db)
            try Place.where { $0.id == 1 }.update(in: db) { [$0.parent.set(2)] }
            let first = try #require(try Place.find(1, in: db))
            #expect(try Place.delete(first, cascading: true, in: db))
            #expect(try Place.count(in: db) == 0)

            let depth: Int64 = 3_000
            let line = (1...depth).map { Place(id: $0, name: "", parent: $0 == 1 ? nil : $0 - 1) }
            try Place.insert(contentsOf: line, in: db)
            #expect(try Place.delete(line[0], cascading: true, in: db))
            #expect(try Place.count(in: db) == 0)
        }
    }

    @Test func whatRefersToAChildIsDeletedBeforeIt() async throws {
        try await withTables { db throws in
            // A note of a call of a customer, whose company goes.
            var company = Company(name: "Engines", staff: [customer("Ada", calls: ["a"], notes: ["x"])])
            try Company.save(&company, cascading: true, in: db)
            #expect(try Company.delete(company, cascading: true, in: db))
            #expect(try Customer.count(in: db) == 0 && Remark.count(in: db) == 0)
        }
    }

    @Test func aRecordWithoutAKeyIsRefused() async throws {
        try await withTables { db throws in
            try expectFailure(.missingKey) { try Customer.delete(Customer(name: "new"), cascading: true, in: db) }
        }
    }
}

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

    @Test func oneRecordAndManyOfTheCaller() async throws {
        let store = try await store()
        var all = try await store.table(Customer.self).all()
        try await store.read(&all) { db, all in try Customer.load(\.$calls, of: &all, in: db) }
        #expect(all.map { $0.calls.map(\.text) } == [["a", "b"], ["c"]])
        try await store.read(&all[0]) { db, first in try Customer.load(\.$employer, of: &first, in: db) }
        #expect(all[0].employer?.name == "Engines" && all[0].calls.count == 2)
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
