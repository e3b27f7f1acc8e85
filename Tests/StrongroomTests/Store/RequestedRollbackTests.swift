import Strongroom
import StrongroomTesting
import Synchronization
import Testing

@Suite("Work that requests its rollback", .ending)
struct RequestedRollbackTests {
    @Test(arguments: [WriteKind.shared, .immediate, .deferred])
    func aWriteReturnsItsResultAndKeepsNothing(kind: WriteKind) async throws {
        let fixture = try await LineStore()
        try await fixture.store.write { db in try addLine(1, db) }
        let count = try await fixture.store.write(as: kind) { db in
            try addLine(2, db)
            try db.rollBack()
            // The rest still runs, and sees what was done.
            try addLine(3, db)
            return try lineNumbers(db).count
        }
        #expect(count == 3)
        #expect(try await fixture.lines() == [1])
        let texts = try await onThread { [store = fixture.store] in
            try store.write(as: kind) { db in
                try addLine(2, db)
                try db.rollBack()
                return try lineNumbers(db).map(String.init)
            }
        }
        #expect(texts == ["1", "2"])
        #expect(try await fixture.lines() == [1])
        // The request is of that write alone.
        try await fixture.store.write(as: kind) { db in try addLine(4, db) }
        #expect(try await fixture.lines() == [1, 4])
    }

    @Test func aSavepointIsRolledBackAlone() async throws {
        let fixture = try await LineStore()
        let kept = try await fixture.store.write { db in
            try addLine(1, db)
            let inner = try db.savepoint { db in
                try addLine(2, db)
                try db.savepoint { db in try addLine(3, db) }
                try db.rollBack()
                return try lineNumbers(db)
            }
            try db.savepoint { db in try addLine(4, db) }
            return inner
        }
        #expect(kept == [1, 2, 3])
        #expect(try await fixture.lines() == [1, 4])
        try await fixture.store.write { db in
            try db.rollBack()
            // A savepoint inside does not take the request away.
            try db.savepoint { db in try addLine(5, db) }
        }
        #expect(try await fixture.lines() == [1, 4])
    }

    @Test func anErrorAfterTheRequestIsThrown() async throws {
        let fixture = try await LineStore()
        await #expect(throws: Refusal(number: 1)) {
            try await fixture.store.write { db in
                try db.rollBack()
                throw Refusal(number: 1)
            }
        }
        try await fixture.store.write { db in try addLine(1, db) }
        #expect(try await fixture.lines() == [1])
    }

    @Test func otherWritesOfTheGroupAreKept() async throws {
        let fixture = try await LineStore()
        let moment = Moment()
        let holder = try await fixture.holdWriter(until: moment)
        let tasks = try await fixture.waiting(1..<9) { [store = fixture.store] number in
            try await store.write { db in
                try addLine(number, db)
                if number.isMultiple(of: 3) || number == 1 { try db.rollBack() }
                return number
            }
        }
        moment.come()
        try await holder.value
        for (index, task) in tasks.enumerated() { #expect(try await task.value == index + 1) }
        #expect(try await fixture.lines() == [2, 4, 5, 7, 8])
        #expect(fixture.store.statistics.largestGroup > 1)
    }

    @Test func nobodyIsToldOfIt() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        var changes = store.changes(in: Contact.self).makeAsyncIterator()
        try await store.write { db in
            try Contact.insert(Contact(), in: db)
            try db.rollBack()
        }
        try await store.close()
        #expect(try await changes.next() == nil)
    }

    @Test func theRecordOfTheCallerIsAsBefore() async throws {
        let store = try await Store.inMemory(Contact.self)
        var contact = Contact()
        let key = try await store.write(&contact) { db, contact in
            try Contact.save(&contact, .insert, in: db)
            try db.rollBack()
            return contact.id
        }
        #expect(key == 1 && contact.id == nil)
    }

    @Table("order")
    struct Order {
        var id: Int64?
        var item: String

        static let hooks: RecordHooks<Order>? = RecordHooks()
            .didSave { order, db in if order.item == "refused" { try db.rollBack() } }
            .willDelete { order, db in try db.rollBack() }
    }

    @Test func aHookRollsBackTheWriteThatItBelongsTo() async throws {
        let store = try await Store.inMemory(Order.self)
        let key = try await store.write { db in
            try Order.insert(contentsOf: [Order(item: "a"), Order(item: "refused")], in: db)
        }
        #expect(key == [1, 2])
        #expect(try await store.table(Order.self).count() == 0)
        let keys = try await store.write { db in
            try Order.insert(contentsOf: [Order(item: "a"), Order(item: "b")], in: db)
        }
        try await store.write { db in
            let orders = try Order.all(in: db)
            #expect(try Order.delete(contentsOf: orders, in: db) == 2)
            #expect(try Order.count(in: db) == 0)
        }
        #expect(try await store.table(Order.self).all().compactMap(\.id) == keys)
    }

    @Test func aRecordWhoseSaveAHookRollsBackIsUnchanged() async throws {
        let store = try await Store.inMemory(Order.self)
        var order = Order(item: "refused")
        try await store.write(&order) { db, order in try Order.save(&order, in: db) }
        var list = [Order(item: "a"), order]
        try await store.write(&list) { db, list in try Order.save(contentsOf: &list, in: db) }
        #expect(order.id == nil && list.map(\.id) == [nil, nil])
        #expect(try await store.table(Order.self).count() == 0)
    }

    @Test func aMigrationIsRolledBackByAnErrorAlone() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path(""), keys: .numbered(1)).with(
            \.migrator,
            Migrator {
                Migration("1") { db in
                    try db.createTable(Order.schema)
                    try Order.insert(Order(item: "refused"), in: db)
                }
            })
        let error = await #expect(throws: StrongroomError.self) { try await vault.open() }
        #expect(error?.description.contains("`rollBack()` is for `write` and `savepoint`") == true)
    }
}
