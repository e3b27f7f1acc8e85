import Strongroom
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
    func aResultComesThroughUnchanged(way: Way) async throws {
        let store = try await LineStore().store
        let result = try await way.run(store) { ["a": [1, 2], "b": []] }
        #expect(result == ["a": [1, 2], "b": []])
    }

    @Test(arguments: Way.allCases)
    func aThrownErrorComesThroughUnchanged(way: Way) async throws {
        let store = try await LineStore().store
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
        let tables = try await fixture.store.read { db in
            try db.value("SELECT count(*) FROM sqlite_master WHERE name = 'other'", as: Int.self)
        }
        #expect(tables == 0)
    }

    @Test func aThrownErrorUndoesABlockingWrite() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        await #expect(throws: Refusal(number: 2)) {
            try await onThread {
                try store.write { db in
                    try addLine(2, db)
                    throw Refusal(number: 2)
                }
            }
        }
        try await onThread { try store.write { db in try addLine(3, db) } }
        #expect(try await fixture.lines() == [3])
    }

    @Test func anErrorOfTheEngineUndoesTheWholeClosure() async throws {
        let fixture = try await LineStore()
        try await fixture.store.write { db in try addLine(5, db) }
        try await expectFailure(.constraint) {
            try await fixture.store.write { db in
                try addLine(4, db)
                try addLine(5, db)
            }
        }
        #expect(try await fixture.lines() == [5])
    }

    @Test func amongManyWritesThoseThatThrowAndNoOthersAreUndone() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try? await store.write { db in
                        try addLine(number, db)
                        if number % 3 == 0 { throw Refusal(number: number) }
                    }
                }
            }
        }
        #expect(try await fixture.lines() == (0..<200).filter { $0 % 3 != 0 })
    }

    @Test func aReadSeesNothingThatIsCommittedWhileItRuns() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let (inside, isWritten) = (Moment(), Moment())
        async let counts = store.read { db in
            let before = try lineNumbers(db)
            inside.come()
            try isWritten.block()
            return (before, try lineNumbers(db))
        }
        try await inside.wait()
        try await store.write { db in try addLine(1, db) }
        isWritten.come()
        let (before, during) = try await counts
        #expect(before == [] && during == [])
        #expect(try await fixture.lines() == [1])
    }

    @Test("A snapshot is the one of the closure's first line, not of its first query")
    func aReadSeesNothingThatIsCommittedBeforeItsFirstQuery() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let (inside, isWritten) = (Moment(), Moment())
        async let lines = store.read { db in
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

    @Test func aWriteIsSeenByEveryReadThatBeginsAfterIt() async throws {
        let fixture = try await LineStore(readers: 3)
        for number in 1...50 {
            try await fixture.store.write { db in try addLine(number, db) }
            #expect(try await fixture.lines() == Array(1...number))
        }
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

    @Test func sqlThatWritesIsRefusedByAReaderAtRunTimeToo() async throws {
        let fixture = try await LineStore()
        try await expectFailure(.readOnly) {
            try await fixture.store.read { db in try db.value("DELETE FROM line", as: Int.self) }
        }
        #expect(try await fixture.lines() == [])
    }

    @Test func aCommittedWriteIsThereAfterClosingAndOpening() async throws {
        let fixture = try await LineStore()
        try await fixture.store.write { db in try addLine(1, db) }
        try await fixture.store.close()
        let again = try await Stores(fixture.configuration).open("lines.sqlite")
        #expect(try await again.read { db in try lineNumbers(db) } == [1])
    }
}
