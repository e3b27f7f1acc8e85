import Dispatch
import Synchronization

/// Runs work on a store's connections, one holder a connection.
///
/// The decisions are ``ConnectionScheduler``'s; here are the threads and the connections.
final class ConnectionPool: Sendable {
    typealias Queue = ConnectionScheduler<Waiter>

    /// One who waits for a slot; called with the slot, or with the reason why there is none.
    struct Waiter {
        let resume: @Sendable (Result<Queue.Slot, any Error>) -> Void
    }

    /// The threads on which the work of tasks runs: blocking work must not run on Swift's cooperative threads.
    let executor: StoreExecutor

    /// Those who want to know what has been written.
    let hub = ChangeBroadcaster()

    /// What has been done.
    let counters = StoreCounters()

    let queue: Locked<Queue>
    private let tickets = Atomic<UInt64>(0)
    let running: RunningOperations
    let writer: Slot
    let readers: [Slot]
    let group: GroupCommit
    let idleWatch: IdleTimer
    let closingReport = Locked<CheckpointReport?>(nil)
    let whenDrained = DispatchSemaphore(value: 0)
    /// Open once the store is closed; whoever comes through opens it for the next one.
    let turnstile = DispatchSemaphore(value: 0)
    let whenClosed: Locked<(@Sendable () -> Void)?>
    private let renew: @Sendable (Connection) throws -> Bool
    let keeper: @Sendable () -> Connection?
    let database: String
    /// Whether nothing may be written.
    let isReadOnly: Bool
    /// The writes in the line that nobody waits for but whoever closes the store.
    let queued = DispatchGroup()
    /// The writes that are not in the line yet, and are put there before the store closes.
    let deferredWrites = Locked<[ObjectIdentifier: any DeferredWrite]>([:])
    /// The tables that need not be compared with what types declare.
    let firstUses: AutomaticTables
    /// The records that never reach the disk.
    let memory = MemoryShare()

    /// A place for a connection.
    final class Slot: @unchecked Sendable {  // guarded by ConnectionScheduler: one holder at a time
        let role: Connection.Role
        var open: @Sendable (Connection.Role) throws -> Connection
        var connection: Connection?
        /// Since it was last looked for readers that nobody uses.
        var wasUsed = false

        init(_ role: Connection.Role, open: @escaping @Sendable (Connection.Role) throws -> Connection) {
            self.role = role
            self.open = open
        }

        /// The connection, which is opened if there is none.
        ///
        /// - Parameter whenOpened: Called then.
        func connected(whenOpened: () -> Void) throws -> Connection {
            if let connection { return connection }
            let opened = try open(role)
            connection = opened
            whenOpened()
            return opened
        }
    }

    /// Makes the slots; readers are opened when they are first used.
    ///
    /// - Parameters:
    ///   - readerCount: How many readers there are; nil for as many as the settings say.
    ///   - renew: Asked when the file cannot be read at the beginning of a transaction whether it is on another key
    ///     now.
    ///   - keeper: Asked, before the connections are closed, for one that is to be closed after them.
    ///   - firstUses: The tables that need not be compared with what types declare.
    ///   - whenClosed: Called once, when no connection is left: after closing, or when the last reference went without;
    ///     let go of then.
    init(
        database: String,
        settings: StoreSettings,
        readerCount: Int? = nil,
        writer connection: Connection,
        open: @escaping @Sendable (Connection.Role) throws -> Connection,
        renew: @escaping @Sendable (Connection) throws -> Bool = { _ in false },
        keeper: @escaping @Sendable () -> Connection? = { nil },
        firstUses: AutomaticTables = AutomaticTables(isKept: true),
        whenClosed: @escaping @Sendable () -> Void
    ) {
        self.database = database
        isReadOnly = settings.isReadOnly && !connection.isInMemory
        self.renew = renew
        self.keeper = keeper
        self.firstUses = firstUses
        self.whenClosed = Locked(whenClosed)
        let count = readerCount ?? settings.readers
        running = RunningOperations(hasOneSeat: count == 0)
        queue = Locked(Queue(readers: count, largestGroup: settings.groupSize))
        executor = StoreExecutor(name: "strongroom", threads: settings.readers + 1)
        group = GroupCommit(longest: settings.groupDuration)
        idleWatch = IdleTimer(time: settings.readerIdleTime)
        let open: @Sendable (Connection.Role) throws -> Connection = { [memory, firstUses] role in
            let connection = try open(role)
            if connection.isWriter { firstUses.attach(to: connection) }
            connection.participant = MemoryRecords(memory, connection.isWriter ? .writer : .reader)
            return connection
        }
        connection.participant = MemoryRecords(
            memory, connection.isInMemory ? .sole : connection.isWriter ? .writer : .reader)
        writer = Slot(.writer, open: open)
        writer.connection = connection
        firstUses.attach(to: connection)
        // What opening and migrating did is nobody's news.
        _ = connection.takeChangedTables()
        _ = connection.takeUse()
        readers = (0..<count).map { _ in Slot(.reader, open: open) }
    }

    deinit {
        if !isClosing { dismantle() }
    }

    // MARK: Work

    /// Runs work on a connection, on the running thread, which waits for its turn. To `write`, the work runs in a
    /// transaction of the writer's that it neither begins nor ends.
    ///
    /// - Throws: As ``acquireBlocking(_:_:_:)``; what the commit throws.
    func performBlocking<T>(
        _ request: Queue.Request,
        _ limits: OperationLimits = OperationLimits(),
        _ work: (Connection) throws -> T
    ) throws -> T {
        try acquireBlocking(request, limits) { slot, ticket in
            guard request == .write else {
                defer { release(slot) {} }
                return try run(ticket, request, .alone, in: slot, work)
            }
            // The value stays on this thread; only the outcome may come from another one.
            var value: T?
            let outcome = Promise<Result<Void, any Error>>()
            writeInGroup({ value = try work($0) }, ticket) { outcome.give($0) }
            try executor.blocking { outcome.wait() }.get()
            guard let value else { throw closed }
            return value
        }
    }

    /// Runs work on a connection, on a thread of the executor; the task waits without blocking a thread. A task that is
    /// on the executor already does not change threads when it need not wait.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before its turn, or while a statement of the work runs
    ///   or more are to come; ``StrongroomError`` with `closed`, `timedOut`; what the work throws; what the commit
    ///   throws.
    func perform<T: Sendable>(
        _ request: Queue.Request,
        _ limits: OperationLimits = OperationLimits(),
        _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await acquire(request, limits) { [self] (turn: Turn<T>, slot) in
            switch slot {
            case .failure(let error): turn.continuation.resume(throwing: error)
            case .success(let slot):
                let start: @Sendable () -> Void = { [self] in
                    takeTurn(request, work, turn.ticket, in: slot) { turn.continuation.resume(with: $0) }
                }
                if turn.isImmediate, executor.isCurrent { start() } else { executor.post(turn.urgency, start) }
            }
        }
    }

    /// Runs work on a slot, which is given back or handed on.
    ///
    /// - Parameter finish: Called once with the outcome.
    private func takeTurn<T>(
        _ request: Queue.Request,
        _ work: (Connection) throws -> T,
        _ ticket: UInt64,
        in slot: Queue.Slot,
        finish: @escaping (Result<T, any Error>) -> Void
    ) {
        guard request != .write else { return writeInGroup(work, ticket, finish: finish) }
        let result = Result { try run(ticket, request, .alone, in: slot, work) }
        release(slot) { finish(result) }
    }

    /// Runs a write on the writer's slot in the group's transaction, which is then handed on or committed.
    ///
    /// - Parameters:
    ///   - undone: Called when the work fails, before anybody else gets the slot.
    ///   - finish: Called once with the outcome: when the work fails, or by whoever commits the transaction.
    func writeInGroup<T>(
        _ work: (Connection) throws -> T,
        _ ticket: UInt64,
        undone: () -> Void = {},
        finish: @escaping (Result<T, any Error>) -> Void
    ) {
        let result = Result {
            try run(ticket, .write, group.company, in: .writer) { connection in
                try group.run(.shared, on: connection) { try work(connection) }
            }
        }
        switch result {
        case .success(let value):
            group.add { failure in finish(failure.map { .failure($0) } ?? .success(value)) }
            endTurn()
        case .failure:
            undone()
            endTurn()
            finish(result)
        }
    }

    /// Hands the group's transaction on to the next write, or ends it.
    private func endTurn() {
        let mayGrow = writer.connection.map(group.mayGrow(on:)) ?? false
        switch queue.withLock({ $0.endTurn(mayGrow: mayGrow) }) {
        case .handOn(let next):
            next.resume(.success(.writer))
        case .commit:
            let (members, outcome) = writer.connection.map(group.end(on:)) ?? ([], nil)
            if !members.isEmpty, outcome == nil { counters.countCommit(ofGroup: members.count) }
            release(.writer) { for member in members { member(outcome) } }
        }
    }

    /// Runs work on a slot that the caller holds; it can be stopped until it is done.
    private func run<T>(
        _ ticket: UInt64,
        _ request: Queue.Request,
        _ company: Connection.Company,
        in slot: Queue.Slot,
        _ work: (Connection) throws -> T
    ) throws -> T {
        counters.countWork(isReading: request == .read)
        defer { running.end(ticket) }
        return try runPart(ticket, company, in: slot, work)
    }

    /// Runs work that others of the same ticket may follow.
    func runPart<T>(
        _ ticket: UInt64,
        _ company: Connection.Company,
        in slot: Queue.Slot,
        _ work: (Connection) throws -> T
    ) throws -> T {
        let connection = try connection(of: slot)
        do {
            return try runPart(ticket, company, on: connection, work)
        } catch {
            // Nothing of the work has run: its transaction could not be begun.
            guard connection.file.isOfAnotherKey, try renew(connection) else { throw error }
            connection.close()
            if slot == .writer { writer.connection = nil } else { drop(slot) }
            return try runPart(ticket, company, on: self.connection(of: slot), work)
        }
    }

    private func runPart<T>(
        _ ticket: UInt64,
        _ company: Connection.Company,
        on connection: Connection,
        _ work: (Connection) throws -> T
    ) throws -> T {
        connection.beginWork(company)
        do {
            try running.begin(ticket, on: connection, company)
            defer { running.rest(ticket) }
            return try CurrentTransaction.inside(self, connection) { try work(connection) }
        } catch {
            // Whoever is stopped while another process has the lock is told that it is busy.
            let codes = [StrongroomError.Code.interrupted, .busy]
            let isStopped =
                error is CancellationError || (error as? StrongroomError).map { codes.contains($0.code) } ?? false
            throw isStopped ? running.errorOfStopped(ticket, database) ?? error : error
        }
    }

    /// The connection of a slot that the caller holds.
    private func connection(of slot: Queue.Slot) throws -> Connection {
        guard slot != .writer else { return try writer.connected {} }
        let connection = try self[slot].connected { counters.countOpenReaders(1) }
        self[slot].wasUsed = true
        // After it is counted: whoever looks while it is opened would see nothing to close, and look no more.
        idleWatch.note { [weak self] in
            guard let self else { return true }
            closeIdleReaders(longIdle: true)
            return counters.statistics.openReaders == 0
        }
        return connection
    }

    /// Gives a slot back.
    ///
    /// - Parameter finish: Tells those who wait for what was done on it.
    func release(_ slot: Queue.Slot, _ finish: () -> Void) {
        if let use = self[slot].connection?.takeUse() { counters.count(use) }
        dropIfUnfinished(slot)
        guard slot == .writer else {
            giveBack(slot)
            finish()
            return
        }
        // Before anybody is told that it is done: whoever then asks has the news.
        if let changed = writer.connection?.takeChangedTables() {
            if changed.contains("sqlite_master") { firstUses.forgetPresent() }
            hub.note(changed)
        }
        // Those who are told first can join the next transaction.
        finish()
        guard writer.connection?.isCheckpointDue == true else { return giveBack(slot) }
        executor.post { [weak self] in
            // Not when nobody refers to the store any more: closing does it, too.
            self?.writer.connection?.checkpointIfDue()
            self?.giveBack(slot)
        }
    }

    func giveBack(_ slot: Queue.Slot) {
        switch queue.withLock({ $0.release(slot) }) {
        case .slot(let waiter, let slot): waiter.resume(.success(slot))
        case .alone(let waiter): waiter.resume(.success(.writer))
        case .drain(let drain): relent(after: drain)
        case .idle: break
        case .close: whenDrained.signal()
        }
    }

    subscript(_ slot: Queue.Slot) -> Slot {
        switch slot {
        case .writer: writer
        case .reader(let place): readers[place]
        }
    }

    func nextTicket() -> UInt64 {
        tickets.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
