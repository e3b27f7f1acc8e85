import Strongroom
import StrongroomTesting
import Synchronization
import Testing

@Suite("Reading and writing through a store")
struct StoreTransactionTests {
    /// The four ways into a store, each run from a task.
    enum Way: CaseIterable {
        case read, write, blockingRead, blockingWrite

        func run<T: Sendable>(_ store: Store, _ body: @escaping @Sendable () throws -> T) async throws -> T {
            switch self {
            case .read: try await store.read { _ in try body() }
            case .write: try await store.write { _ in try body() }
            case .blockingRead: try await onThread { try store.read { _ in try body() } }
            case .blockingWrite: try await onThread { try store.write { _ in try body() } }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func aResultAndAThrownErrorComeThroughUnchanged(way: Way) async throws {
        let store = try await LineStore().store
        let result = try await way.run(store) { ["a": [1, 2], "b": []] }
        #expect(result == ["a": [1, 2], "b": []])
        await #expect(throws: Refusal(number: 7)) { try await way.run(store) { throw Refusal(number: 7) } }
        await #expect(throws: CancellationError.self) { try await way.run(store) { throw CancellationError() } }
        // The next one is served as if nothing had been.
        #expect(try await way.run(store) { 1 } == 1)
    }

    @Test func aThrownErrorUndoesThatClosureAndNothingElse() async throws {
        let fixture = try await LineStore()
        try await fixture.store.write { db in try addLine(1, db) }
        await #expect(throws: Refusal(number: 2)) {
            try await fixture.store.write { db in
                try addLine(2, db)
                try db.execute("DELETE FROM line WHERE number = 1")
                try db.execute("CREATE TABLE other (number INTEGER)")
                throw Refusal(number: 2)
            }
        }
        try await fixture.store.write { db in try addLine(3, db) }
        #expect(try await fixture.lines() == [1, 3])
        let tables = try await fixture.store.value(
            "SELECT count(*) FROM sqlite_master WHERE name = 'other'", as: Int.self)
        #expect(tables == 0)
        // So does one of the engine.
        try await expectFailure(.constraint) {
            try await fixture.store.write { db in
                try addLine(4, db)
                try addLine(3, db)
            }
        }
        #expect(try await fixture.lines() == [1, 3])
    }

    @Test("A snapshot is the one of the closure's first line, not of its first query", arguments: [false, true])
    func aReadSeesNothingThatIsCommittedWhileItRuns(afterAQuery: Bool) async throws {
        let fixture = try await LineStore(readers: 1)
        let store = fixture.store
        let (inside, isWritten) = (Moment(), Moment())
        async let lines = store.read { db in
            if afterAQuery { #expect(try lineNumbers(db) == []) }
            inside.come()
            try isWritten.block()
            return try lineNumbers(db)
        }
        try await inside.wait()
        try await store.write { db in try addLine(1, db) }
        isWritten.come()
        #expect(try await lines == [])
        #expect(try await fixture.lines() == [1])
    }

    @Test func anUncommittedWriteIsInvisibleToOthers() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let (inside, isRead) = (Moment(), Moment())
        async let own = store.write { db in
            try addLine(1, db)
            inside.come()
            try isRead.block()
            return try lineNumbers(db)
        }
        try await inside.wait()
        #expect(try await fixture.lines() == [])
        isRead.come()
        #expect(try await own == [1])
        #expect(try await fixture.lines() == [1])
    }
}

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
        await #expect(throws: Refusal(number: 1)) {
            try await fixture.store.write(as: kind) { db in
                try db.rollBack()
                throw Refusal(number: 1)
            }
        }
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

    @Test func otherWritesOfTheGroupAreKept() async throws {
        let fixture = try await LineStore()
        let tasks = try await fixture.store.queued(1..<9) { [store = fixture.store] number in
            try await store.write { db in
                try addLine(number, db)
                if number.isMultiple(of: 3) || number == 1 { try db.rollBack() }
                return number
            }
        }
        for (index, task) in tasks.enumerated() { #expect(try await task.value == index + 1) }
        #expect(try await fixture.lines() == [2, 4, 5, 7, 8])
        #expect(fixture.store.statistics.largestGroup > 1)
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

@Suite("Variables of the caller in a read or a write")
struct ChangedValueTests {
    @Test func aValueIsChangedWithTheCommit() async throws {
        let store = try await Store.inMemory(Contact.self)
        var contact = Contact()
        let count = try await store.write(&contact) { db, contact in
            try Contact.save(&contact, .insert, in: db)
            contact.name = "Grace"
            try Contact.update(contact, in: db)
            return try Contact.count(in: db)
        }
        #expect(count == 1 && contact == Contact(id: 1, name: "Grace"))
        var both = (Contact(email: "a"), Contact(email: "b"))
        try await store.write(&both, as: .immediate, label: "both") { db, both in
            try Contact.save(&both.0, .insert, in: db)
            try Contact.save(&both.1, .insert, in: db)
        }
        #expect(both.0.id == 2 && both.1.id == 3)
        try await store.read(&contact, label: "again") { db, contact in
            contact = try #require(try Contact.find(3, in: db))
        }
        #expect(contact == both.1)
    }

    @Test func aFailureLeavesTheValueAsItIs() async throws {
        let store = try await Store.inMemory(Contact.self)
        try await store.write { db in try Contact.insert(Contact(), in: db) }
        var contact = Contact(email: "other")
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write(&contact) { db, contact in
                try Contact.save(&contact, .insert, in: db)
                contact.email = Contact().email
                try Contact.update(contact, in: db)
            }
        }
        #expect(error?.code == .constraint && contact == Contact(email: "other"))
        await #expect(throws: Refusal(number: 1)) {
            try await store.read(&contact) { _, contact in
                contact.name = "x"
                throw Refusal(number: 1)
            }
        }
        #expect(contact == Contact(email: "other"))
        try await store.close()
        await #expect(throws: StrongroomError.self) {
            try await store.write(&contact) { _, contact in contact.name = "x" }
        }
        #expect(contact == Contact(email: "other"))
    }
}
