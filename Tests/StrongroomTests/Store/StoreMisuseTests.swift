import Strongroom
import Testing

@Suite("Misuse of a store")
struct StoreMisuseTests {
    enum Outer: CaseIterable {
        case read, write, blockingRead, blockingWrite

        /// Runs the body inside a transaction; a write adds lines 1 and 2 around it.
        func run(_ store: Store, _ body: @escaping @Sendable () throws -> Void) async throws {
            switch self {
            case .read: try await store.read { db in try Self.reading(db, body) }
            case .write: try await store.write { db in try Self.writing(db, body) }
            case .blockingRead: try await onThread { try store.read { db in try Self.reading(db, body) } }
            case .blockingWrite: try await onThread { try store.write { db in try Self.writing(db, body) } }
            }
        }

        var isWriting: Bool { self == .write || self == .blockingWrite }

        private static func reading(_ db: borrowing ReadTransaction, _ body: () throws -> Void) throws {
            let before = try lineNumbers(db)
            try body()
            let after = try lineNumbers(db)
            #expect(before == [] && after == [])
        }

        private static func writing(_ db: borrowing WriteTransaction, _ body: () throws -> Void) throws {
            try addLine(1, db)
            try body()
            try addLine(2, db)
        }
    }

    enum Inner: CaseIterable {
        case read, write, close

        func run(_ store: Store) throws {
            switch self {
            case .read: try store.read { _ in _ = Issue.record("a nested read ran") }
            case .write: try store.write { _ in _ = Issue.record("a nested write ran") }
            case .close: try store.close()
            }
        }
    }

    @Test(arguments: Outer.allCases, Inner.allCases)
    func aBlockingCallInsideATransactionOfTheSameStoreIsAnError(outer: Outer, inner: Inner) async throws {
        let fixture = try await LineStore(readers: 2)
        let store = fixture.store
        try await ending {
            try await outer.run(store) {
                try expectFailure(.nestedAccess) { try inner.run(store) }
                // A second time, too.
                try expectFailure(.nestedAccess) { try inner.run(store) }
            }
        }
        #expect(try await fixture.lines() == (outer.isWriting ? [1, 2] : []))
        try await store.write { db in try addLine(3, db) }
    }

    @Test(arguments: Outer.allCases)
    func anotherStoreInsideATransactionIsFine(outer: Outer) async throws {
        let (one, other) = (try await LineStore(), try await LineStore())
        let (store, otherStore) = (one.store, other.store)
        try await outer.run(store) {
            try otherStore.write { db in try addLine(7, db) }
            let seen = try otherStore.read { db in try lineNumbers(db) }
            #expect(seen == [7])
        }
        #expect(try await one.lines() == (outer.isWriting ? [1, 2] : []))
        #expect(try await other.lines() == [7])
    }

    @Test func theFirstStoreIsStillNestedInsideTheSecond() async throws {
        let (one, other) = (try await LineStore(), try await LineStore())
        let (store, otherStore) = (one.store, other.store)
        try await ending {
            try await store.write { db in
                try addLine(1, db)
                try otherStore.write { otherDB in
                    try addLine(2, otherDB)
                    try expectFailure(.nestedAccess) { try Inner.write.run(store) }
                    try expectFailure(.nestedAccess) { try Inner.read.run(otherStore) }
                }
                // Leaving the second store does not make one forget the first.
                try expectFailure(.nestedAccess) { try Inner.write.run(store) }
                let seen = try otherStore.read { otherDB in try lineNumbers(otherDB) }
                #expect(seen == [2])
            }
        }
        #expect(try await one.lines() == [1])
        #expect(try await other.lines() == [2])
    }

    @Test func anotherStoreMayBeClosedInsideATransaction() async throws {
        let (one, other) = (try await LineStore(), try await LineStore())
        let otherStore = other.store
        try await one.store.write { db in
            try addLine(1, db)
            try otherStore.close()
        }
        try await expectFailure(.closed) { try await other.lines() }
        #expect(try await one.lines() == [1])
    }

    @Test func aThreadIsFreeAgainAfterItsTransaction() async throws {
        let store = try await LineStore().store
        try await onThread {
            try store.write { db in try addLine(1, db) }
            #expect(throws: Refusal.self) { try store.write { _ in throw Refusal(number: 1) } }
            #expect(throws: Refusal.self) { try store.read { _ in throw Refusal(number: 1) } }
            try store.write { db in try addLine(2, db) }
            let seen = try store.read { db in try lineNumbers(db) }
            #expect(seen == [1, 2])
        }
    }

    @Test func aTaskThatATransactionStartsIsNotInsideIt() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let isLeaving = Moment()
        let (later, blockingLater) = try await store.write { db in
            try addLine(1, db)
            defer { isLeaving.come() }
            return (
                Task { try await store.write { db in try addLine(2, db) } },
                Task { try await onThread { try store.write { db in try addLine(3, db) } } }
            )
        }
        try await later.value
        try await blockingLater.value
        #expect(isLeaving.isPast)
        #expect(try await fixture.lines() == [1, 2, 3])
    }

    @Test("An immediate task that a transaction starts is not inside it, although it begins on its thread")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func anImmediateTaskIsNotInsideTheTransaction() async throws {
        let fixture = try await LineStore()
        let store = fixture.store
        let later = try await store.write { db in
            try addLine(1, db)
            return Task.immediate { try await store.write { db in try addLine(2, db) } }
        }
        try await ending { try await later.value }
        #expect(try await fixture.lines() == [1, 2])
    }

    @Test func aTaskMayReadWhatItsStarterHasNotCommitted() async throws {
        // The closure waits for a task that reads the same store: a snapshot from before the write, and no deadlock.
        let fixture = try await LineStore()
        let (store, isRead) = (fixture.store, Moment())
        let seen = try await store.write { db in
            try addLine(1, db)
            let task = Task {
                defer { isRead.come() }
                return try await store.read { db in try lineNumbers(db) }
            }
            try isRead.block()
            return task
        }
        #expect(try await seen.value == [])
    }
}
