import Strongroom
import StrongroomTesting
import Testing

@Suite("Saving records")
struct SaveTests {
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
}

@Suite("Generated keys in the records of the caller")
struct KeysInRecordsTests {
    @Table("task")
    struct Job: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        var runs = 0

        static let hooks: RecordHooks<Job>? = RecordHooks().willSave { job, _ in job.runs += 1 }
    }

    private func store() async throws -> Store {
        try await Store.inMemory(Contact.self, Job.self)
    }

    @Test func aListIsInsertedInATransaction() async throws {
        try await store().write { db in
            var contacts = Contact.samples(40)
            contacts[7].id = 1_000
            try Contact.save(contentsOf: &contacts, .insert, in: db)
            #expect(contacts[6].id == 7 && contacts[7].id == 1_000 && contacts[8].id == 1_001)
            #expect(try Contact.all(in: db).map(\.id) == contacts.map(\.id).sorted { $0 ?? 0 < $1 ?? 0 })
        }
    }

    @Test func aListIsInsertedInAWriteOfAValue() async throws {
        let store = try await store()
        var jobs = [Job(code: "a"), Job(code: "b")]
        try await store.write(&jobs) { db, jobs in try Job.save(contentsOf: &jobs, .insert, in: db) }
        #expect(jobs == [Job(id: 1, code: "a", runs: 1), Job(id: 2, code: "b", runs: 1)])
        #expect(try await store.table(Job.self).all() == jobs)
    }

    @Test func aFailedInsertLeavesTheListAsItIs() async throws {
        let store = try await store()
        try await store.write { db in try Job.insert(Job(code: "b"), in: db) }
        let before = [Job(code: "a"), Job(code: "b")]
        var jobs = before
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write(&jobs) { db, jobs in try Job.save(contentsOf: &jobs, .insert, in: db) }
        }
        #expect(error?.code == .constraint && jobs == before)
        #expect(try await store.table(Job.self).count() == 1)
    }

    @Test func anUpsertSetsTheKeyOfTheRow() async throws {
        try await store().write { db in
            var job = Job(code: "a")
            #expect(try Job.save(&job, .by(\.code), in: db) == .inserted)
            #expect(job == Job(id: 1, code: "a", runs: 1))
            var same = Job(id: 77, code: "a", runs: 5)
            #expect(try Job.save(&same, .by(\.code), in: db) == .updated)
            #expect(same == Job(id: 1, code: "a", runs: 6))
            #expect(try Job.all(in: db) == [same])
            var jobs = [Job(code: "b"), Job(code: "a"), Job(code: "b")]
            let rows = try Job.save(contentsOf: &jobs, .by(\.code), in: db)
            #expect(rows == [.inserted, .updated, .updated])
            #expect(jobs.map(\.id) == [2, 1, 2] && jobs.map(\.runs) == [1, 1, 1])
        }
    }
}

@Suite("Hooks")
struct HookTests {
    /// Writes down what is done with it, in the same transaction.
    @Table("order")
    struct Order: Equatable {
        var id: Int64?
        var item: String
        var changes = 0
        @Ignored var isGone = false

        enum Refusal: Error { case item }

        static let hooks: RecordHooks<Order>? = RecordHooks()
            .willSave { order, db in
                order.changes += 1
                try note("will save", order, db)
            }
            .didSave { order, db in
                try note("did save", order, db)
                if order.item == "refused afterwards" { throw Refusal.item }
            }
            .willDelete { order, db in
                try note("will delete", order, db)
                if order.item == "kept" { throw Refusal.item }
            }
            .didDelete { order, db in
                try note("did delete", order, db)
                if order.item == "kept after all" { throw Refusal.item }
            }
            .deletesOnSave { $0.isGone }

        private static func note(_ what: String, _ order: Order, _ db: borrowing WriteTransaction) throws {
            try db.execute("INSERT INTO trace VALUES (\("\(what) \(order.id ?? 0) \(order.item)"))")
        }
    }

    private func withTable(_ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void) async throws {
        try await TemporaryStore(tables: [Order.schema]).store.write { db throws in
            try db.execute("CREATE TABLE trace (text TEXT)")
            try body(db)
        }
    }

    @Test func theyRunAroundASaveAndADelete() async throws {
        try await withTable { db throws in
            var order = Order(item: "a")
            #expect(try Order.save(&order, in: db) == .inserted)
            #expect(order.id == 1 && order.changes == 1)
            #expect(try Order.save(&order, in: db) == .updated)
            #expect(try Order.find(1, in: db) == order && order.changes == 2)
            #expect(try Order.delete(order, in: db))
            #expect(try !Order.delete(order, in: db))
            #expect(
                try trace(db) == [
                    "will save 0 a", "did save 1 a", "will save 1 a", "did save 1 a", "will delete 1 a",
                    "did delete 1 a",
                    "will delete 1 a",
                ])
        }
    }

    @Test(arguments: [1, 40]) func theyRunForEachOfAList(_ count: Int) async throws {
        try await withTable { db throws in
            var orders = (0..<count).map { Order(item: "\($0)") }
            try Order.save(contentsOf: &orders, in: db)
            #expect(orders.allSatisfy { $0.changes == 1 && $0.id != nil })
            #expect(try Order.all(in: db) == orders)
            let (before, after) = (
                (0..<count).map { "will save 0 \($0)" }, (0..<count).map { "did save \($0 + 1) \($0)" }
            )
            #expect(try trace(db) == before + after)
            #expect(try Order.delete(contentsOf: orders, in: db) == count)
            #expect(try trace(db).count == 4 * count)
        }
    }

    @Test(arguments: [false, true]) func oneThatThrowsUndoesItsSave(inAList: Bool) async throws {
        try await withTable { db throws in
            var order = Order(item: "refused afterwards")
            var list = [Order(item: "a"), order]
            // The caller goes on as if nothing had happened.
            #expect(throws: Order.Refusal.self) {
                if inAList { try Order.save(contentsOf: &list, in: db) } else { try Order.save(&order, in: db) }
            }
            #expect(order == Order(item: "refused afterwards") && list == [Order(item: "a"), order])
            #expect(try Order.count(in: db) == 0)
            #expect(try trace(db) == [])
        }
    }

    @Test(arguments: ["kept", "kept after all"]) func oneThatThrowsKeepsTheRow(item: String) async throws {
        try await withTable { db throws in
            var order = Order(item: item)
            try Order.save(&order, in: db)
            #expect(throws: Order.Refusal.self) { try Order.delete(order, in: db) }
            order.isGone = true
            #expect(throws: Order.Refusal.self) { try Order.save(&order, in: db) }
            #expect(try Order.count(in: db) == 1)
            #expect(try trace(db).count == 2)
        }
    }

    @Test func aMarkedRecordIsDeletedWhenItIsSaved() async throws {
        try await withTable { db throws in
            var orders = ["a", "b", "c"].map { Order(item: $0) }
            try Order.save(contentsOf: &orders, in: db)
            orders[1].isGone = true
            orders.append(Order(item: "never stored", isGone: true))
            #expect(try Order.save(contentsOf: &orders, in: db) == [.updated, .deleted, .updated, .deleted])
            #expect(try Order.all(in: db).map(\.item) == ["a", "c"])
            orders[0].isGone = true
            #expect(try Order.save(&orders[0], in: db) == .deleted)
            #expect(try Order.save(&orders[0], in: db) == .deleted)
            #expect(try Order.all(in: db).map(\.item) == ["c"])
            #expect(try trace(db).suffix(3) == ["will delete 1 a", "did delete 1 a", "will delete 1 a"])
        }
    }

    @Test(arguments: [
        "insert", "insert with key", "insert a list", "upsert", "upsert a list", "update",
        "update a list",
    ])
    func theyRunAroundEveryWriteOfAWholeRecord(verb: String) async throws {
        try await withTable { db throws in
            let isUpdate = verb.hasPrefix("update")
            if isUpdate { try db.execute("INSERT INTO \"order\" (id, item, changes) VALUES (1, 'old', 0)") }
            var order = Order(id: isUpdate ? 1 : nil, item: "a")
            switch verb {
            case "insert": #expect(try Order.insert(order, in: db) == 1)
            case "insert with key":
                try Order.save(&order, .insert, in: db)
                #expect(order.id == 1 && order.changes == 1)
            case "insert a list": #expect(try Order.insert(contentsOf: [order], in: db) == [1])
            case "upsert": #expect(try Order.upsert(order, in: db) == Upserted(.inserted, 1))
            case "upsert a list": #expect(try Order.upsert(contentsOf: [order], in: db) == [Upserted(.inserted, 1)])
            case "update": try Order.update(order, in: db)
            default: try Order.update(contentsOf: [order], in: db)
            }
            #expect(try trace(db) == ["will save \(isUpdate ? 1 : 0) a", "did save 1 a"])
            // What the hook has changed is stored.
            #expect(try Order.all(in: db).map(\.changes) == [1])
            #expect(throws: Order.Refusal.self) {
                try Order.insert(contentsOf: [Order(item: "b"), Order(item: "refused afterwards")], in: db)
            }
            #expect(throws: Order.Refusal.self) { try Order.upsert(Order(item: "refused afterwards"), in: db) }
            #expect(try Order.count(in: db) == 1)
            #expect(try trace(db).count == 2)
        }
    }

    @Test func operationsOnRowsOrSingleColumnsRunNoHooks() async throws {
        try await withTable { db throws in
            try Order.insert(in: db) { [$0.id.set(1), $0.item.set("a"), $0.changes.set(0)] }
            try Order.insert(in: db) { [$0.id.set(2), $0.item.set("a"), $0.changes.set(0)] }
            try Order.update(Order(id: 1, item: "b"), only: { [$0.item] }, in: db)
            try Order.upsert(Order(id: 1, item: "c"), .key(only: { [$0.item] }), in: db)
            try Order.update(1, in: db) { [$0.item.set("d")] }
            try Order.delete(1, in: db)
            try Order.where { $0.id == 2 }.delete(in: db)
            try Order.truncate(in: db)
            #expect(try trace(db) == [])
        }
    }

    @Test func severalOfAKindRunInTheirOrder() async throws {
        try await TemporaryStore(tables: [Twice.schema]).store.write { db throws in
            var twice = Twice(name: "")
            try Twice.save(&twice, in: db)
            #expect(twice.name == "12")
        }
    }

    @Table("twice")
    struct Twice {
        var id: Int?
        var name: String

        static let hooks: RecordHooks<Twice>? = RecordHooks().willSave { twice, _ in twice.name += "1" }
            .willSave { twice, _ in twice.name += "2" }
    }
}

private func trace(_ db: borrowing WriteTransaction) throws -> [String] {
    try db.values("SELECT text FROM trace ORDER BY rowid", as: String.self)
}
