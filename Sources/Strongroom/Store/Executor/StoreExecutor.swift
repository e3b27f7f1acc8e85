import Dispatch
import Foundation
import Synchronization

/// The threads of a registry's stores, as a task executor. The stores' operations run on them; a task that runs on them
/// reads and writes without changing threads:
///
/// ```swift
/// try await withTaskExecutorPreference(store.executor) {
///     for id in ids {
///         let contact = try await store.table(Contact.self).find(id)
///         …
///     }
/// }
/// ```
///
/// All stores of one ``Stores`` share the threads, so that an idle store has none of its own. A thread is started when
/// more work is queued than there are threads, up to one more than a store has readers: of the stores that were opened,
/// the one with the most. By default that is one more than the machine has processors. A thread ends after an idle
/// time. One that waits for a commit is not counted. If work is queued and none has begun for 10 ms, because closures
/// block or compute for long, one more thread is started, up to 512 of them.
///
/// See SE-0417, "Task Executor Preference".
public final class StoreExecutor: TaskExecutor, Sendable {
    enum Item {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    struct State {
        var items = UrgencyQueue<Item>()
        var count = 0
        /// Those that are not replaced because they wait.
        var threads = 0
        /// Those that wait, and are replaced meanwhile.
        var blocked = 0
        /// How many threads are started as soon as work is queued.
        var largest: Int
        /// The number of stores that use the executor.
        var stores = 0
        /// The number of items that have begun.
        var begun: UInt64 = 0
        var reserve = Reserve.none
        /// Sleeping threads that have not been signalled yet.
        var sleeping = 0
        /// Threads that poll for work before they sleep.
        var polling = 0
        var isRetired = false
        /// Threads without work that have not ended.
        var idle = 0
        /// Signalled when `idle` drops to 0.
        var whenNoneIsIdle: DispatchSemaphore?
    }

    /// The thread-local state of a thread.
    private final class CurrentThread {
        let executor: StoreExecutor
        /// Whether it runs posted work rather than a task's job, which may run for long after it has posted.
        var isWorking = false
        /// Whether another thread replaces it while it waits.
        var isBlocked = false
        /// The work to run next on this thread.
        var next: (@Sendable () -> Void)?

        init(_ executor: StoreExecutor) { self.executor = executor }
    }

    private static let pointer = ThreadLocal()

    let state: Locked<State>
    let wakeReserve = DispatchSemaphore(value: 0)
    private let wake = DispatchSemaphore(value: 0)
    /// The number of queued items; a polling thread reads it without the lock.
    private let pending = Atomic<Int>(0)
    let name: String
    /// How many threads may be started beyond the usual number while work is stalled.
    let largestReserve: Int

    /// How many items may follow each other on one thread before queued work gets it.
    private static let longestChain = 64

    /// How often a thread polls for work before it sleeps: about 50 µs, enough for the next read of a task that reads
    /// row by row.
    private static let maxPolls = 100

    /// How long an idle thread is kept.
    static let patience = DispatchTimeInterval.seconds(5)

    /// - Parameters:
    ///   - threads: How many threads are started as soon as work is queued.
    ///   - reserve: How many more may be started while work is stalled.
    init(name: String, threads: Int, reserve: Int = 0) {
        self.name = name
        largestReserve = reserve
        state = Locked(State(largest: threads))
    }

    /// The threads of the stores of a registry; the first store that is opened starts them.
    convenience init() {
        self.init(name: "strongroom", threads: 1, reserve: 512)
    }

    /// Adds a store, whose operations need a number of threads at the same time.
    func addStore(threads: Int) {
        state.withLock { state in
            state.stores += 1
            state.largest = max(state.largest, threads)
            state.isRetired = false
            // The threads continue.
            state.whenNoneIsIdle.take()?.signal()
        }
    }

    /// Removes a store. After the last one, the threads end as soon as they are idle.
    ///
    /// - Parameter isWaiting: Whether to wait then until the idle threads have ended.
    func removeStore(isWaiting: Bool) {
        let ended = isWaiting ? DispatchSemaphore(value: 0) : nil
        let (sleeping, isReserveSleeping, mustWait) = state.withLock { state in
            state.stores -= 1
            guard state.stores == 0 else { return (0, false, false) }
            state.isRetired = true
            if state.idle > 0, state.whenNoneIsIdle == nil { state.whenNoneIsIdle = ended }
            let isReserveSleeping = state.reserve == .sleeping
            if isReserveSleeping { state.reserve = .watching }
            defer { state.sleeping = 0 }
            return (state.sleeping, isReserveSleeping, state.idle > 0)
        }
        for _ in 0..<sleeping { wake.signal() }
        if isReserveSleeping { wakeReserve.signal() }
        if mustWait { _ = ended?.wait(timeout: .now() + Self.patience) }
    }

    /// Runs a task's next job on one of the threads; if none is free, the job is queued by the task's priority.
    public func enqueue(_ job: consuming ExecutorJob) {
        let urgency = Urgency(TaskPriority(job.priority) ?? .medium)
        add(.job(UnownedJob(job)), urgency)
    }

    /// Runs work on one of the threads.
    ///
    /// Work that is posted from work on one of the executor's threads runs next on that thread: it is posted at the end
    /// of the other. Except inside a transaction: that one may wait for the work of another store.
    func post(_ urgency: Urgency = .medium, _ work: @escaping @Sendable () -> Void) {
        if let thread = current, thread.isWorking, thread.next == nil, !CurrentTransaction.isInsideAny {
            thread.next = work
        } else {
            // It holds a connection that more urgent work may be waiting for.
            add(.work(work), urgency == .low ? .medium : urgency)
        }
    }

    /// Runs work on one of the threads, after the queued work; callable from any thread.
    func postBehind(_ work: @escaping @Sendable () -> Void) {
        add(.work(work), .medium)
    }

    /// Whether the current thread is one of the executor's.
    var isCurrent: Bool { current != nil }

    private var current: CurrentThread? {
        guard let pointer = Self.pointer.value else { return nil }
        let thread = Unmanaged<CurrentThread>.fromOpaque(pointer).takeUnretainedValue()
        return thread.executor === self ? thread : nil
    }

    /// Blocks for something that queued work may provide: if the current thread is one of the executor's, another one
    /// replaces it meanwhile.
    func blocking<T>(_ wait: () -> T) -> T {
        guard let thread = current, !thread.isBlocked else { return wait() }
        thread.isBlocked = true
        let mustStart = state.withLock { state in
            state.threads -= 1
            state.blocked += 1
            guard state.count > 0, state.threads < state.largest else { return false }
            state.threads += 1
            return true
        }
        if mustStart { startThread() }
        defer {
            thread.isBlocked = false
            state.withLock { state in
                state.threads += 1
                state.blocked -= 1
            }
        }
        return wait()
    }

    /// Blocks for something that any executor's queued work may provide: the executor that the current thread belongs
    /// to, if any, replaces it meanwhile.
    static func blockingAny<T>(_ wait: () -> T) -> T {
        guard let pointer = pointer.value else { return wait() }
        return Unmanaged<CurrentThread>.fromOpaque(pointer).takeUnretainedValue().executor.blocking(wait)
    }

    /// The number of threads.
    var threadCount: Int { state.withLock { $0.threads + $0.blocked } }

    /// Called by a thread when it ends.
    private func recordThreadEnd() {
        DedicatedThread.end()
        state.withLock { removeIdleThread(&$0) }
    }

    private func removeIdleThread(_ state: inout State) {
        state.idle -= 1
        if state.idle == 0 { state.whenNoneIsIdle.take()?.signal() }
    }

    enum Need {
        case none, sleeper, thread, reserve, reserveSleeper
    }

    private func add(_ item: Item, _ urgency: Urgency) {
        let need = state.withLock { state -> Need in
            state.items.append(item, urgency)
            state.count += 1
            pending.store(state.count, ordering: .relaxed)
            if state.count <= state.polling { return .none }
            if state.sleeping > 0 {
                state.sleeping -= 1
                return .sleeper
            }
            guard state.threads < state.largest else { return reserve(&state) }
            state.threads += 1
            return .thread
        }
        switch need {
        case .none: break
        case .sleeper: wake.signal()
        case .thread: startThread()
        case .reserve: startReserve()
        case .reserveSleeper: wakeReserve.signal()
        }
    }

    private func startThread() {
        DedicatedThread.start(name) { [self] in work() }
    }

    /// Runs queued work until the thread is to end.
    func work() {
        let current = CurrentThread(self)
        withExtendedLifetime(current) {
            Self.pointer.value = Unmanaged.passUnretained(current).toOpaque()
            while let (item, urgency) = next() {
                urgency.adopt()
                run(item, on: current)
            }
            Self.pointer.value = nil
        }
        recordThreadEnd()
    }

    private func run(_ item: Item, on thread: CurrentThread) {
        switch item {
        case .job(let job):
            job.runSynchronously(on: asUnownedTaskExecutor())
        case .work(let work):
            thread.isWorking = true
            work()
            var count = 0
            while let next = thread.next.take() {
                count += 1
                // Queued work waits, too.
                thread.isWorking = count < Self.longestChain
                next()
            }
            thread.isWorking = false
            if let next = thread.next.take() { add(.work(next), .medium) }
        }
    }

    private enum Step {
        case run(Item, Urgency)
        case sleep, end
    }

    /// The next item of work, or nil if the thread is to end.
    private func next() -> (Item, Urgency)? {
        let first = state.withLock { state in
            let item = nextItem(&state)
            if item == nil { state.idle += 1 }
            return item
        }
        if let first { return first }
        while true {
            poll()
            switch state.withLock({ step(&$0) }) {
            case .run(let item, let urgency): return (item, urgency)
            case .end: return nil
            case .sleep: guard sleep() else { return nil }
            }
        }
    }

    private func step(_ state: inout State) -> Step {
        if let (item, urgency) = nextItem(&state) {
            removeIdleThread(&state)
            return .run(item, urgency)
        }
        guard !state.isRetired, state.threads <= 2 * state.largest else {
            state.threads -= 1
            return .end
        }
        state.sleeping += 1
        return .sleep
    }

    /// Sleeps until there is work.
    ///
    /// - Returns: False if there was none within the idle time, so that the thread is to end.
    private func sleep() -> Bool {
        guard wake.wait(timeout: .now() + Self.patience) == .timedOut else { return true }
        let isOver = state.withLock { state in
            guard state.sleeping > 0 else { return false }
            state.sleeping -= 1
            state.threads -= 1
            return true
        }
        // Otherwise the thread was signalled at the same moment; consume the signal.
        if !isOver { wake.wait() }
        return !isOver
    }

    private func nextItem(_ state: inout State) -> (Item, Urgency)? {
        guard let first = state.items.popFirst() else { return nil }
        state.count -= 1
        state.begun &+= 1
        pending.store(state.count, ordering: .relaxed)
        return first
    }

    /// Polls for work briefly before the thread sleeps, one thread at a time, since waking a thread takes longer.
    /// Yields the processor in between.
    private func poll() {
        let mayPoll = state.withLock { state in
            guard state.count == 0, state.polling == 0, !state.isRetired else { return false }
            state.polling = 1
            return true
        }
        guard mayPoll else { return }
        defer { state.withLock { $0.polling = 0 } }
        for _ in 0..<Self.maxPolls where pending.load(ordering: .relaxed) == 0 { sched_yield() }
    }
}
