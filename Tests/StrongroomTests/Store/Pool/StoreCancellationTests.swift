import Strongroom
import Testing

@Suite("Cancelling before the turn")
struct StoreCancellationTests {
    @Test("A write that waits is taken back")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func aWaitingWriteIsCancelled() async throws {
        let fixture = try await LineStore()
        let (store, canEnd) = (fixture.store, Moment())
        let holder = try await fixture.store.holdWriter(until: canEnd)
        // An immediate task has asked for the writer when this returns.
        let waiting = Task.immediate { try await store.write { db in try addLine(1, db) } }
        let behind = Task.immediate { try await store.write { db in try addLine(2, db) } }
        waiting.cancel()
        // It ends while the writer is still taken.
        await #expect(throws: CancellationError.self) { try await ending { try await waiting.value } }
        canEnd.come()
        try await holder.value
        try await behind.value
        #expect(try await fixture.lines() == [2])
    }

    @Test("A read that waits is taken back")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func aWaitingReadIsCancelled() async throws {
        let fixture = try await LineStore(readers: 1)
        let (store, canEnd, hasRun) = (fixture.store, Moment(), Moment())
        let holder = try await store.holdReader(until: canEnd)
        let waiting = Task.immediate { try await store.read { _ in hasRun.come() } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await ending { try await waiting.value } }
        canEnd.come()
        try await holder.value
        #expect(try await fixture.lines() == [])
        #expect(!hasRun.isPast)
    }

    @Test("A task that is already cancelled does not begin, even if a connection is free")
    func aCancelledTaskNeverRuns() async throws {
        let fixture = try await LineStore()
        let (store, isCancelled, hasRun) = (fixture.store, Moment(), Moment())
        let task = Task {
            try await isCancelled.wait()
            await #expect(throws: CancellationError.self) { try await store.write { _ in hasRun.come() } }
            await #expect(throws: CancellationError.self) { try await store.read { _ in hasRun.come() } }
        }
        task.cancel()
        isCancelled.come()
        try await task.value
        #expect(!hasRun.isPast)
        try await fixture.store.write { db in try addLine(1, db) }
        #expect(try await fixture.lines() == [1])
    }

    @Test func everyWriteOfACancelledGroupIsDoneOrLeavesNothing() async throws {
        let fixture = try await LineStore(readers: 2)
        let store = fixture.store
        let (done, begun) = (Tally(), Tally())
        for round in 0..<40 {
            let canEnd = Moment()
            let holder = try await fixture.store.holdWriter(until: canEnd)
            let tasks = (0..<10).map { number in
                Task {
                    try await store.write { db in
                        begun.add()
                        try addLine(round * 10 + number, db)
                    }
                    done.add()
                }
            }
            // The grant of the first and the cancelling of all race with each other.
            canEnd.come()
            for task in tasks.shuffled() { task.cancel() }
            try await holder.value
            for task in tasks {
                do { try await task.value } catch is CancellationError {}
            }
        }
        #expect(done.value <= begun.value)
        #expect(try await fixture.lines().count == done.value)
        try await store.write { db in try addLine(-1, db) }
    }

    @Test func cancelledReadsLeaveEveryReaderFree() async throws {
        let store = try await LineStore(readers: 3).store
        for _ in 0..<100 {
            let tasks = (0..<8).map { _ in Task { try await store.read { db in try lineNumbers(db) } } }
            for task in tasks { task.cancel() }
            for task in tasks {
                do { _ = try await task.value } catch is CancellationError {}
            }
        }
        // All three are still there.
        let barrier = Barrier(3)
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 { group.addTask { try await store.read { _ in try barrier.block() } } }
            try await group.waitForAll()
        }
    }
}

/// What runs when its task is cancelled stops soon, and leaves the store as if it had never begun.
@Suite("Work that is cancelled while it runs", .ending)
struct CancelledWorkTests {
    /// Cancels work as soon as it says that it runs.
    private func expectStopped<T: Sendable>(
        _ work: @escaping @Sendable (_ isRunning: Moment) async throws -> T
    ) async throws {
        let isRunning = Moment()
        let task = Task { try await work(isRunning) }
        try await isRunning.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [false, true])
    func aStatementThatRunsIsStopped(isInMemory: Bool) async throws {
        let store = isInMemory ? try await Store.inMemory() : try await LineStore(readers: 1).store
        for _ in 0..<5 {
            try await expectStopped { isRunning in
                try await store.read { db in
                    isRunning.come()
                    return try db.value(SQL.endless, as: Int.self)
                }
            }
            // The one reader is free, and does not remember.
            #expect(try await store.value("SELECT 1", as: Int.self) == 1)
            #expect(try await onThread { try store.read { db in try db.value("SELECT 2", as: Int.self) } } == 2)
        }
        try await store.close()
    }

    /// The cancellation comes at any moment around the beginning of a statement: between two of them an interrupt is
    /// forgotten.
    @Test func noMomentIsTooEarlyOrTooLate() async throws {
        let lines = try await LineStore(readers: 1)
        for round in 0..<60 {
            let isRunning = Moment()
            let task = Task {
                try await lines.store.read { db in
                    isRunning.come()
                    // Another text each time, so that it is prepared anew.
                    return try db.value(
                        "\(SQL.endless) \(SQL(stringLiteral: "UNION ALL SELECT \(round)"))", as: Int.self)
                }
            }
            try await onThread {
                try isRunning.block()
                for _ in 0..<(round * 50) { _ = isRunning.isPast }
                task.cancel()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await lines.lines() == [])
    }

    @Test func aWriteOfManyStatementsIsStoppedAndUndone() async throws {
        let lines = try await LineStore()
        try await lines.store.write { db in try db.execute("INSERT INTO line VALUES (-1)") }
        for _ in 0..<5 {
            try await expectStopped { isRunning in
                try await lines.store.write { db in
                    for number in 0... {
                        try db.execute("INSERT INTO line VALUES (\(number))")
                        if number == 100 { isRunning.come() }
                    }
                }
            }
            #expect(try await lines.lines() == [-1])
        }
        try await lines.store.write { db in try db.execute("INSERT INTO line VALUES (7)") }
        _ = try await onThread { try lines.store.write { db in try db.execute("INSERT INTO line VALUES (8)") } }
        #expect(try await lines.lines() == [-1, 7, 8])
        try await lines.store.close()
    }

    @Test func aLongWriteIsStoppedAndUndone() async throws {
        let lines = try await LineStore()
        try await expectStopped { isRunning in
            try await lines.store.write { db in
                try db.execute("INSERT INTO line VALUES (1)")
                isRunning.come()
                try db.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n) INSERT INTO line SELECT i FROM n
                    """)
            }
        }
        #expect(try await lines.lines() == [])
        try await lines.store.close()
    }

    @Test func aLoopOverRowsThatWereCopiedIsStopped() async throws {
        let lines = try await LineStore()
        let (isRunning, isCancelled, met) = (Moment(), Moment(), Tally())
        let task = Task {
            try await lines.store.write { db in
                for number in 0..<100 { try addLine(number, db) }
                try db.forEachRow("SELECT number FROM line ORDER BY number") { _ in
                    met.add()
                    guard met.value == 1 else { return }
                    try db.execute("DELETE FROM line WHERE number = 99")
                    isRunning.come()
                    try isCancelled.block()
                }
            }
        }
        try await isRunning.wait()
        task.cancel()
        isCancelled.come()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(met.value == 1)
        #expect(try await lines.lines() == [])
        try await lines.store.close()
    }

    @Test func theNextOperationIsNotStopped() async throws {
        let lines = try await LineStore(readers: 1)
        for _ in 0..<300 {
            let cancelled = Task { try await lines.store.read { db in try lineNumbers(db) } }
            let next = Task { try await lines.store.read { db in try lineNumbers(db) } }
            cancelled.cancel()
            #expect(try await next.value == [])
            do { _ = try await cancelled.value } catch is CancellationError {}
        }
        try await lines.store.close()
    }

    @Test func theHolderIsNotStoppedWithAnOperationThatWaits() async throws {
        let lines = try await LineStore(readers: 1)
        let isCancelled = Moment()
        let holder = try await lines.store.holdReader(until: isCancelled)
        let waiter = try await lines.store.waiting { try await lines.lines() }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        isCancelled.come()
        try await holder.value
        try await lines.store.close()
    }

    @Test func anErrorOfTheWorkItselfIsNotCoveredUp() async throws {
        struct Own: Error {}
        let lines = try await LineStore()
        let (isRunning, isCancelled) = (Moment(), Moment())
        let task = Task {
            try await lines.store.write { _ in
                isRunning.come()
                try isCancelled.block()
                throw Own()
            }
        }
        try await isRunning.wait()
        task.cancel()
        isCancelled.come()
        await #expect(throws: Own.self) { try await task.value }
        try await lines.store.close()
    }
}
