import StrongroomTesting
import Testing

// An executor without a store, whose threads can be counted, cannot be had through the public interface.
@testable import Strongroom

@Suite("The threads of a store")
struct StoreExecutorTests {
    @Test func oneThreadRunsItsWorkInOrderAndAllOfItAlsoWhenItRetires() async throws {
        for _ in 0..<50 {
            let executor = StoreExecutor(name: "strongroom.test", threads: 1)
            let (ran, last) = (Locked<[Int]>([]), Moment())
            for number in 0..<40 { executor.post { ran.withLock { $0.append(number) } } }
            executor.post { last.come() }
            executor.retire()
            try await last.wait()
            #expect(ran.withLock { $0 } == Array(0..<40))
        }
    }

    /// A thread that ends beside the process can make it crash, so whoever closes a store is told when there is none
    /// left.
    @Test func retiringCanWaitUntilNoThreadIsIdle() async throws {
        for _ in 0..<20 {
            let executor = StoreExecutor(name: "strongroom.test", threads: 8)
            let barrier = Barrier(8)
            let ran = Tally()
            for _ in 0..<8 {
                executor.post {
                    try? barrier.block()
                    ran.add()
                }
            }
            try await eventually { ran.value == 8 }
            // A thread that comes from its work only afterwards is not waited for.
            let patience = ContinuousClock.now + .seconds(2)
            try await eventually { executor.idleThreads == 8 || ContinuousClock.now > patience }
            guard executor.idleThreads == 8 else { continue }
            try await onThread { executor.retire(isWaiting: true) }
            #expect(executor.idleThreads == 0)
        }
    }

    @Test func retiringFromOneOfItsThreadsDoesNotWaitForThatThread() async throws {
        let executor = StoreExecutor(name: "strongroom.test", threads: 2)
        let isDone = Moment()
        executor.post {
            executor.retire(isWaiting: true)
            isDone.come()
        }
        try await isDone.wait()
    }

    @Test(arguments: 1...4)
    func workFromManyThreadsAllRunsOnNoMoreThreadsThanAreAllowed(threads: Int) async throws {
        let executor = StoreExecutor(name: "strongroom.test", threads: threads)
        let (running, ran) = (Tally(), Tally())
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<200 {
                        executor.post {
                            running.add()
                            ran.add()
                            running.add(-1)
                        }
                    }
                }
            }
        }
        try await eventually { ran.value == 4_000 }
        #expect(running.peak <= threads)
        executor.retire()
    }

    @Test func whatIsMoreUrgentRunsFirst() async throws {
        let executor = StoreExecutor(name: "test", threads: 1)
        let (isInside, canEnd) = (Moment(), Moment())
        executor.post {
            isInside.come()
            try? canEnd.block()
        }
        try await isInside.wait()
        let order = Locked<[Int]>([])
        // Without a moment's wait in between each task has come to the line when the next one is made.
        let priorities: [(TaskPriority, Int)] = [
            (.background, 5), (.medium, 3), (.low, 6), (.high, 1), (.medium, 4), (.userInitiated, 2),
        ]
        let tasks = priorities.map { priority, place in
            Task(executorPreference: executor, priority: priority) { order.withLock { $0.append(place) } }
        }
        canEnd.come()
        for task in tasks { await task.value }
        #expect(order.withLock { $0 } == Array(1...6))
    }

    @Test func workThatPostsAtItsEndDoesNotKeepTheThreadForEver() async throws {
        let executor = StoreExecutor(name: "strongroom.test", threads: 1)
        let (isEnough, other) = (Moment(), Moment())
        @Sendable func again() {
            guard !isEnough.isPast else { return }
            executor.post { again() }
        }
        executor.post { again() }
        executor.post { other.come() }
        try await other.wait()
        isEnough.come()
        executor.retire()
    }

    /// Every thread waits for what is queued behind it.
    @Test func stalledWorkGetsFurtherThreads() async throws {
        let executor = StoreExecutor(name: "strongroom.test", threads: 2, reserve: 30)
        for _ in 0..<3 {
            let (barrier, passed) = (Barrier(20), Tally())
            for _ in 0..<20 {
                executor.post {
                    if (try? barrier.block()) != nil { passed.add() }
                }
            }
            try await eventually { passed.value == 20 }
        }
        // Those that are not needed end.
        try await eventually { executor.threadCount <= 4 }
        executor.retire()
    }

    @Test func aTransactionThatWaitsForAnotherStoreDoesNotKeepTheThreadThatThisOneNeeds() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(LineConfiguration(directory, readers: 1))
        let (first, second) = (try await stores.open("lines_a.sqlite"), try await stores.open("lines_b.sqlite"))
        #expect(first.executor === second.executor)
        try await ending {
            try await first.write { db in
                try addLine(1, db)
                let isDone = Moment()
                second.queueWrite("queued", { db in try addLine(2, db) }, undone: {}, finish: { _ in isDone.come() })
                try isDone.block()
            }
        }
        #expect(try await second.read { db in try lineNumbers(db) } == [2])
        try await stores.closeAll()
    }

    /// A transaction that has used another store, for which a task waits, uses it again: the task's work must not wait
    /// for the end of the transaction, on whose thread it was posted.
    @Test func aTransactionThatUsesAnotherStoreTwiceDoesNotKeepThoseInBetweenWaiting() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(LineConfiguration(directory, readers: 1))
        let (first, second) = (try await stores.open("lines_a.sqlite"), try await stores.open("lines_b.sqlite"))
        try await ending {
            try await first.write { _ in
                let waiting = Moment()
                let waits = second.statistics.waits
                try second.read { _ in
                    Task { try await second.read { _ in } }
                    Task {
                        try await eventually { second.statistics.waits > waits }
                        waiting.come()
                    }
                    try waiting.block()
                }
                try second.read { _ in }
            }
        }
        try await stores.closeAll()
    }

    @Test func tasksThatPreferItRunOnItAndDoNotChangeThreads() async throws {
        let fixture = try await LineStore(readers: 2)
        let (store, executor) = (fixture.store, fixture.store.executor)
        let numbers = try await withTaskExecutorPreference(executor) {
            for number in 0..<100 {
                // Those that need not wait do not change threads, either.
                let before = currentThread()
                let (isOn, inWrite) = try await store.write { db in
                    try addLine(number, db)
                    return (executor.isCurrent, currentThread())
                }
                let inRead = try await store.read { _ in currentThread() }
                #expect(isOn && executor.isCurrent)
                #expect(before == inWrite && before == inRead && before == currentThread())
            }
            async let first = fixture.lines()
            async let second = fixture.lines()
            return try await (first, second)
        }
        #expect(numbers.0 == Array(0..<100) && numbers.1 == numbers.0)
        try await store.close()
        await #expect(throws: StrongroomError.self) {
            try await withTaskExecutorPreference(executor) { try await fixture.lines() }
        }
    }

    @Test func blockingCallsOnItsThreadsDoNotKeepTheStoreFromItsWork() async throws {
        let fixture = try await LineStore(readers: 1)
        let store = fixture.store
        let canEnd = Moment()
        // Asks for a thread while every one of them waits for it.
        let holder = try await store.holdWriter(until: canEnd)
        let behind = try await store.waiting { try await store.write { db in try addLine(-1, db) } }
        let blocking = try await store.waiting(0..<6) { number in
            try await withTaskExecutorPreference(store.executor) { try writeBlocking(number, to: store) }
        }
        canEnd.come()
        try await holder.value
        try await behind.value
        for task in blocking { try await ending { try await task.value } }
        #expect(try await fixture.lines() == Array(-1..<6))
    }
}

private func writeBlocking(_ number: Int, to store: Store) throws {
    try store.write { db in try addLine(number, db) }
}

extension StoreExecutor {
    /// Ends the threads as soon as they are idle, as the end of the last store does.
    fileprivate func retire(isWaiting: Bool = false) {
        addStore(threads: 1)
        removeStore(isWaiting: isWaiting)
    }

    fileprivate var idleThreads: Int { state.withLock { $0.idle } }
}
