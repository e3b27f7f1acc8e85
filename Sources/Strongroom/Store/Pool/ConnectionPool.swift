import Dispatch
import Logging
import Synchronization

/// Runs operations on a store's connections, one holder per connection.
///
/// ``ConnectionScheduler`` makes the decisions; this type has the threads and the connections.
final class ConnectionPool: Sendable {
    typealias Queue = ConnectionScheduler<Waiter>

    /// A request that waits for a slot; resumed with the slot, or with the error.
    struct Waiter {
        let resume: @Sendable (Result<Queue.Slot, any Error>) -> Void
    }

    /// The threads for the work of tasks: blocking work must not run on Swift's cooperative threads.
    let executor: StoreExecutor

    /// Receive each operation.
    let observers: [any OperationObserver]

    /// Reports committed changes to observers.
    let broadcaster = ChangeBroadcaster()

    let statistics: Locked<StoreStatistics>

    let queue: Locked<Queue>
    private let tickets = Atomic<UInt64>(0)
    let writer: Slot
    let readers: [Slot]
    let group: GroupCommit
    /// Finds commits of other connections.
    let foreign: ForeignCommits
    let idleTimer: IdleTimer
    let closingReport = Locked<CheckpointReport?>(nil)
    let whenDrained = DispatchSemaphore(value: 0)
    /// Signalled once the store is closed; each waiter signals it again for the next one.
    let whenDismantled = DispatchSemaphore(value: 0)
    let whenClosed: Locked<(@Sendable () -> Void)?>
    private let renew: @Sendable (Connection) throws -> Bool
    let beforeClosing: @Sendable (_ mayCheckpoint: Bool) -> Connection?
    let name: DatabaseName
    var database: String { name.fileName }
    /// Whether the store is read-only.
    let isReadOnly: Bool
    /// Queued writes that no caller waits for; closing the store does.
    let queued = DispatchGroup()
    /// Writes that are not queued yet, and are queued before the store closes.
    let deferredWrites = Locked<[ObjectIdentifier: any DeferredWrite]>([:])
    /// The tables that need not be compared with the declarations of their types.
    let automaticTables: AutomaticTables
    /// What has connections of its own to the file, until the store is closed.
    let participants = Locked<[any StoreParticipant]>([])
    /// Whether the store may write now.
    let right = WriteRight()

    /// Creates the slots; readers are opened when they are needed.
    ///
    /// - Parameters:
    ///   - foreignPath: The path of the file that other connections may change; nil for none.
    ///   - readerCount: The number of readers; nil for the number in the settings.
    ///   - renew: Called if the file cannot be read at the beginning of a transaction; returns whether it has another
    ///     key now.
    ///   - beforeClosing: Called before the connections are closed, with whether one of them may checkpoint although
    ///     the store is read-only; returns a connection to close after them.
    ///   - schemaCheck: Compares the versions of the file with those of the program; nil for a file without a migrator.
    ///   - whenClosed: Called once, when no connection is left: after closing, or when the pool is deinitialized;
    ///     released then.
    init(
        _ name: DatabaseName,
        settings: StoreSettings,
        executor: StoreExecutor = StoreExecutor(name: "strongroom", threads: 1),
        observers: [any OperationObserver] = [],
        statistics: Locked<StoreStatistics> = Locked(StoreStatistics()),
        foreignPath: String? = nil,
        logger: Logger? = nil,
        readerCount: Int? = nil,
        writer connection: Connection,
        open: @escaping @Sendable (Connection.Role) throws -> Connection,
        renew: @escaping @Sendable (Connection) throws -> Bool = { _ in false },
        beforeClosing: @escaping @Sendable (_ mayCheckpoint: Bool) -> Connection? = { _ in nil },
        automaticTables: AutomaticTables = AutomaticTables(isKept: true),
        schemaCheck: (@Sendable (Connection, _ version: Int64) throws -> Void)? = nil,
        whenClosed: @escaping @Sendable () -> Void
    ) {
        self.name = name
        isReadOnly = settings.isReadOnly && !connection.isInMemory
        self.renew = renew
        self.beforeClosing = beforeClosing
        self.automaticTables = automaticTables
        self.whenClosed = Locked(whenClosed)
        let count = readerCount ?? settings.readers
        queue = Locked(Queue(readers: count, largestGroup: settings.groupSize))
        self.executor = executor
        self.observers = observers
        self.statistics = statistics
        executor.addStore(threads: settings.readers + 1)
        foreign = ForeignCommits(foreignPath, settings.foreignChanges, logger, broadcaster, statistics)
        group = GroupCommit(longest: settings.groupDuration, foreign, right)
        idleTimer = IdleTimer(time: settings.readerIdleTime)
        let open: @Sendable (Connection.Role) throws -> Connection = { [automaticTables] role in
            let connection = try open(role)
            connection.file.schemaCheck = schemaCheck
            if connection.isWriter { automaticTables.attach(to: connection) }
            return connection
        }
        writer = Slot(.writer, open: open)
        writer.connection = connection
        automaticTables.attach(to: connection)
        connection.file.schemaCheck = schemaCheck
        // Changes made by opening and migrating are not reported to observers.
        _ = connection.removeChangedTables()
        // A migration may have left temporary tables on it.
        writer.wasUsed = connection.resetUse().statementsPrepared > 0
        readers = (0..<count).map { _ in Slot(.reader, open: open) }
        if foreignPath != nil { followForeignCommits(connection) }
    }

    deinit {
        if !isClosing { dismantle() }
    }

    // MARK: Work

    /// Runs work on a connection, blocking the current thread until a slot is available. For `write`, the work runs in
    /// a transaction of the writer that it neither begins nor ends.
    ///
    /// - Throws: As ``acquireBlocking(_:_:_:)``; what the commit throws.
    func performBlocking<T>(
        _ request: Queue.Request,
        _ limits: OperationLimits = OperationLimits(),
        _ work: (Connection) throws -> T
    ) throws -> T {
        let watch = watch(request, limits)
        do {
            let value = try acquireBlocking(request, limits) { slot, operation in
                watch?.grant()
                guard request == .write else {
                    defer { release(slot) {} }
                    return try run(operation, .unshared, in: slot, work)
                }
                return try writeInGroupBlocking(work, operation)
            }
            watch?.end(nil)
            return value
        } catch {
            watch?.end(error)
            throw error
        }
    }

    private func writeInGroupBlocking<T>(_ work: (Connection) throws -> T, _ operation: PoolOperation) throws -> T {
        // The value stays on this thread; only the outcome may come from another one.
        var value: T?
        let outcome = Promise<Result<Void, any Error>>()
        writeInGroup({ value = try work($0) }, operation) { outcome.fulfill($0) }
        try executor.blocking { outcome.wait() }.get()
        guard let value else { throw closed }
        return value
    }

    /// Runs work on a connection, on a thread of the executor; the task waits without blocking a thread. A task that
    /// already runs on the executor does not change threads if it need not wait.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before it acquires a connection, or while the work has a
    ///   statement running or to come; ``StrongroomError`` with `closed`, `timedOut`; what the work throws; what the
    ///   commit throws.
    func perform<T: Sendable>(
        _ request: Queue.Request,
        _ limits: OperationLimits = OperationLimits(),
        _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        let watch = watch(request, limits)
        do {
            let value: T = try await acquire(request, limits) { [self] operation, isImmediate, slot, continuation in
                switch slot {
                case .failure(let error): continuation.resume(throwing: error)
                case .success(let slot):
                    watch?.grant()
                    let start: @Sendable () -> Void = { [self] in
                        runAdmitted(operation, work, in: slot) { continuation.resume(with: $0) }
                    }
                    if isImmediate, executor.isCurrent { start() } else { executor.post(operation.urgency, start) }
                }
            }
            watch?.end(nil)
            return value
        } catch {
            watch?.end(error)
            throw error
        }
    }

    /// As ``OperationWatch/observing(_:_:_:label:_:)``, for the observers of the store.
    func observing<T>(
        _ kind: FinishedOperation.Kind, label: String?, _ work: (OperationWatch?) async throws -> T
    ) async throws -> T {
        try await OperationWatch.observing(observers, name, kind, label: label, work)
    }

    /// Measures an operation for the observers, if there are any.
    func watch(_ request: Queue.Request, _ limits: OperationLimits) -> OperationWatch? {
        guard !observers.isEmpty, limits.isObserved else { return nil }
        let kind: FinishedOperation.Kind
        switch request {
        case .read: kind = .read
        case .write: kind = .write
        case .ungroupedWrite: kind = .ungroupedWrite
        // What needs all connections is a part of an operation that is observed in all.
        case .exclusive: return nil
        }
        return OperationWatch(observers, name, kind, label: limits.label)
    }

    /// Runs work with a slot, which is then released or handed on.
    ///
    /// - Parameter finish: Called once with the outcome.
    private func runAdmitted<T>(
        _ operation: PoolOperation,
        _ work: (Connection) throws -> T,
        in slot: Queue.Slot,
        finish: @escaping (Result<T, any Error>) -> Void
    ) {
        guard operation.request != .write else { return writeInGroup(work, operation, finish: finish) }
        let result = Result { try run(operation, .unshared, in: slot, work) }
        release(slot) { finish(result) }
    }

    /// Runs a write on the writer's slot in the group's transaction, which is then continued by the next write or
    /// committed.
    ///
    /// - Parameters:
    ///   - undone: Called if the work fails, before the next write gets the slot.
    ///   - finish: Called once with the outcome: if the work fails, or when the transaction is committed.
    func writeInGroup<T>(
        _ work: (Connection) throws -> T,
        _ operation: PoolOperation,
        undone: () -> Void = {},
        finish: @escaping (Result<T, any Error>) -> Void
    ) {
        let result = Result {
            try run(operation, group.sharing, in: .writer) { connection in
                try group.run(.shared, on: connection) { try work(connection) }
            }
        }
        switch result {
        case .success(let value):
            group.add { failure in finish(failure.map { .failure($0) } ?? .success(value)) }
            finishWrite()
        case .failure:
            undone()
            finishWrite()
            finish(result)
        }
    }

    /// Hands the group's transaction on to the next write, or ends it.
    private func finishWrite() {
        let mayGrow = writer.connection.map(group.mayGrow(on:)) ?? false
        if let next = queue.withLock({ $0.finishWrite(mayGrow: mayGrow) }) { return next.resume(.success(.writer)) }
        let (members, outcome) = executor.blocking { writer.connection.map(group.end(on:)) ?? ([], nil) }
        if !members.isEmpty, outcome == nil {
            statistics.withLock { counts in
                counts.commits += 1
                counts.largestGroup = max(counts.largestGroup, members.count)
            }
        }
        release(.writer) { for member in members { member(outcome) } }
    }

    /// Runs work on a slot that the caller holds; it can be stopped until it is done.
    private func run<T>(
        _ operation: PoolOperation,
        _ sharing: Connection.Sharing,
        in slot: Queue.Slot,
        _ work: (Connection) throws -> T
    ) throws -> T {
        statistics.withLock { if operation.request == .read { $0.reads += 1 } else { $0.writes += 1 } }
        self[slot].holder = operation
        defer { self[slot].holder = nil }
        return try runPart(operation, sharing, in: slot, work)
    }

    /// Runs one part of an operation; further parts may follow.
    func runPart<T>(
        _ operation: PoolOperation,
        _ sharing: Connection.Sharing,
        in slot: Queue.Slot,
        _ work: (Connection) throws -> T
    ) throws -> T {
        let connection = try connection(of: slot)
        do {
            return try runPart(operation, sharing, on: connection, work)
        } catch {
            // No part of the work has run: its transaction could not be begun.
            guard connection.file.isOfAnotherKey, try renew(connection) else { throw error }
            connection.close()
            if slot == .writer { writer.connection = nil } else { drop(slot) }
            return try runPart(operation, sharing, on: self.connection(of: slot), work)
        }
    }

    private func runPart<T>(
        _ operation: PoolOperation,
        _ sharing: Connection.Sharing,
        on connection: Connection,
        _ work: (Connection) throws -> T
    ) throws -> T {
        connection.beginWork(sharing)
        do {
            try operation.beginPart(on: connection, sharing)
            defer { operation.endPart() }
            return try CurrentTransaction.inside(self) { try work(connection) }
        } catch {
            // The engine reports `busy` for a statement that is stopped while it waits for a lock of another process.
            let codes = [StrongroomError.Code.interrupted, .busy]
            let isStopped =
                error is CancellationError || (error as? StrongroomError).map { codes.contains($0.code) } ?? false
            throw isStopped ? errorOfStopped(operation) ?? error : error
        }
    }

    /// Releases a slot.
    ///
    /// - Parameter finish: Completes the operations that ran on it.
    func release(_ slot: Queue.Slot, _ finish: () -> Void) {
        if let use = self[slot].connection?.resetUse() { statistics.withLock { $0.count(use) } }
        dropIfUnfinished(slot)
        guard slot == .writer else {
            free(slot)
            finish()
            return
        }
        // Before completion: a caller that then asks for changes must see these.
        if let connection = writer.connection {
            let changed = connection.removeChangedTables()
            if changed.contains("sqlite_master") { automaticTables.forgetPresent(on: connection) }
            broadcaster.report(changed)
        }
        // Operations that are completed first can join the next transaction.
        finish()
        guard writer.connection?.isCheckpointDue == true else { return free(slot) }
        executor.post { [weak self] in
            // Not if the store was released: closing checkpoints, too.
            guard let self else { return }
            letLogGo()
            writer.connection?.checkpointIfDue()
            letLogGo()
            free(slot)
        }
    }

    func free(_ slot: Queue.Slot) {
        if slot == .writer, foreign.isDue { foreign.check(try? writersConnection()) }
        resume(queue.withLock { $0.release(slot) })
        // Requested while the slot was still held.
        if slot == .writer, foreign.isDue { foreign.request() }
    }

    subscript(_ slot: Queue.Slot) -> Slot {
        switch slot {
        case .writer: writer
        case .reader(let index): readers[index]
        }
    }

    func makeOperation(
        _ request: Queue.Request, _ limits: OperationLimits, _ urgency: Urgency = .medium
    ) -> PoolOperation {
        PoolOperation(tickets.wrappingAdd(1, ordering: .relaxed).newValue, request, limits, urgency)
    }
}
