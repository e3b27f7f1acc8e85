import Dispatch

/// Acquiring a connection; every other operation of the pool is built on it.
extension ConnectionPool {
    /// Requests a slot.
    ///
    /// - Parameter waiter: Resumed with the slot if it is not free.
    /// - Returns: The slot, or nil if the waiter is resumed later.
    /// - Throws: ``StrongroomError`` with `closed`.
    func acquire(_ operation: PoolOperation, _ waiter: @autoclosure () -> Waiter) throws -> Queue.Slot? {
        let answer = queue.withLock { queue in
            queue.request(
                operation.request, ticket: operation.ticket, isLast: operation.limits.isLast, waiter: waiter())
        }
        switch answer {
        case .granted(let slot): return slot
        case .closed: throw closed
        case .waiting:
            statistics.withLock { $0.waits += 1 }
            // It may have been stopped before it was queued.
            applyStop(to: operation)
            return nil
        }
    }

    /// Acquires a slot, blocking the current thread until it is available, and runs work with it.
    ///
    /// - Parameter work: Must release the slot.
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store, `closed`, `timedOut`;
    ///   what the work throws.
    func acquireBlocking<T>(
        _ request: Queue.Request, _ limits: OperationLimits, _ work: (Queue.Slot, PoolOperation) throws -> T
    ) throws -> T {
        guard !CurrentTransaction.isInside(self) else { throw nested }
        let operation = makeOperation(request, limits)
        let timer = timer(for: operation)
        defer { timer?.cancel() }
        lazy var handover = Promise<Result<Queue.Slot, any Error>>()
        let slot = try acquire(operation, Waiter { [handover] in handover.fulfill($0) })
        if let slot { return try work(slot, operation) }
        return try work(try executor.blocking { handover.wait() }.get(), operation)
    }

    /// Acquires a slot; the task waits without blocking a thread.
    ///
    /// - Parameter proceed: Called once, with the slot or with the error, on the current thread or on the thread that
    ///   released the slot; also with whether the operation has not waited, so that it may run on the current thread.
    ///   Resumes the continuation, and releases the slot or leaves that to the caller.
    /// - Throws: `CancellationError` if the task is cancelled before it acquires the slot; the error the continuation
    ///   is resumed with. After that, nothing stops the operation any more.
    func acquire<T: Sendable>(
        _ request: Queue.Request, _ limits: OperationLimits,
        _ proceed:
            @escaping @Sendable (
                _ operation: PoolOperation, _ isImmediate: Bool, Result<Queue.Slot, any Error>,
                CheckedContinuation<T, any Error>
            ) -> Void
    ) async throws -> T {
        try Task.checkCancellation()
        let operation = makeOperation(request, limits, Urgency(Task.currentPriority))
        let timer = timer(for: operation)
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    let slot = try acquire(operation, Waiter { proceed(operation, false, $0, continuation) })
                    if let slot { proceed(operation, true, .success(slot), continuation) }
                } catch {
                    proceed(operation, true, .failure(error), continuation)
                }
            }
        } onCancel: {
            stop(operation, .cancelled)
        }
    }

    /// Acquires a slot, which the caller must release; the task is suspended until then.
    func acquireSlot(_ request: Queue.Request, _ limits: OperationLimits) async throws -> (Queue.Slot, PoolOperation) {
        let (slot, operation) = try await acquire(request, limits) { operation, _, slot, continuation in
            continuation.resume(with: slot.map { ($0, operation) })
        }
        operation.begin()
        self[slot].holder = operation
        return (slot, operation)
    }
}

/// A reader that is held for longer than one operation.
extension ConnectionPool {
    /// Acquires a reader, which is held until the result is deinitialized; the task is suspended until a reader is
    /// free.
    ///
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`.
    func holdReader(_ limits: OperationLimits) async throws -> HeldReader {
        let watch = watch(.read, limits)
        do {
            let (slot, operation) = try await acquireSlot(.read, limits)
            watch?.grant()
            watch?.end(nil)
            statistics.withLock { $0.reads += 1 }
            return HeldReader(self, slot, operation)
        } catch {
            watch?.end(error)
            throw error
        }
    }
}

extension ConnectionPool {
    /// As ``Store/queueWrite(_:_:undone:finish:)``; the work runs on a thread of the executor.
    func queueWrite(
        _ label: String,
        _ work: @escaping @Sendable (Connection) throws -> Void,
        undone: @escaping @Sendable () -> Void,
        finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let operation = makeOperation(.write, OperationLimits(label: label))
        let watch = watch(.write, operation.limits)
        queued.enter()
        let end: @Sendable (Result<Void, any Error>) -> Void = { [self] result in
            if case .failure(let error) = result { watch?.end(error) } else { watch?.end(nil) }
            CurrentTransaction.inside(self) { finish(result) }
            queued.leave()
        }
        let accepting: @Sendable (Connection) throws -> Void = { connection in
            do {
                try connection.acceptingRollback { try work(connection) }
            } catch is RequestedRollback {
                throw StrongroomError(
                    .writeRefused,
                    "A hook called `rollBack()`, so the write was undone. Correct the record, and write it again.",
                    database: connection.database)
            }
        }
        // After the queued work: the current thread may be one of the executor's, and has other work to run next.
        let start: @Sendable () -> Void = { [self] in
            watch?.grant()
            executor.postBehind { [self] in writeInGroup(accepting, operation, undone: undone, finish: end) }
        }
        let waiter = Waiter { [executor] result in
            switch result {
            case .success: start()
            case .failure(let error): executor.postBehind { end(.failure(error)) }
            }
        }
        do {
            try requireWriting()
            if try acquire(operation, waiter) != nil { start() }
        } catch {
            executor.postBehind { end(.failure(error)) }
        }
    }
}

/// What reads a held snapshot: a statement, or a value that is read in parts.
protocol SnapshotCursor: AnyObject, SendableMetatype {
    /// Ends the reading; the connection may then end its transaction.
    func finish()
}

extension Statement: SnapshotCursor {}
extension OpenBlob: SnapshotCursor {}

/// A reader with a snapshot that is held across several parts of work; released when this is deinitialized.
final class HeldReader: Sendable {
    let slot: ConnectionPool.Queue.Slot
    let operation: PoolOperation
    private let pool: ConnectionPool
    private let snapshot = Snapshot()

    private final class Snapshot: @unchecked Sendable {  // guarded by the reader's slot
        var cursor: (any SnapshotCursor)?
    }

    init(_ pool: ConnectionPool, _ slot: ConnectionPool.Queue.Slot, _ operation: PoolOperation) {
        self.pool = pool
        self.slot = slot
        self.operation = operation
    }

    deinit {
        pool.executor.postBehind { [pool, slot, snapshot] in
            if let connection = pool[slot].connection {
                // It must not outlive its connection.
                snapshot.cursor.take()?.finish()
                connection.rollBack()
            }
            pool[slot].holder = nil
            pool.release(slot) {}
        }
    }

    /// Runs a part of the work with the cursor, which is opened for the first part.
    ///
    /// - Throws: What the work throws; ``StrongroomError`` with `damaged` if this part or an earlier one read a damaged
    ///   page, so that no possibly wrong value is returned.
    func perform<Cursor: SnapshotCursor, T: Sendable>(
        making make: @escaping @Sendable (Connection) throws -> Cursor,
        _ work: @escaping @Sendable (Cursor, Connection) throws -> T
    ) async throws -> T {
        try await runPart { [snapshot] connection in
            if snapshot.cursor == nil { try connection.beginSnapshot() }
            do {
                if snapshot.cursor == nil { try connection.requireKnownSchema() }
                let cursor = if let cursor = snapshot.cursor as? Cursor { cursor } else { try make(connection) }
                snapshot.cursor = cursor
                let result = try work(cursor, connection)
                try connection.checkPages()
                return result
            } catch {
                throw connection.explanation(of: error)
            }
        }
    }

    private func runPart<T: Sendable>(_ work: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try Task.checkCancellation()
        let urgency = Urgency(Task.currentPriority)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let part: @Sendable () -> Void = { [pool, operation, slot] in
                    continuation.resume(with: Result { try pool.runPart(operation, .unshared, in: slot, work) })
                }
                if pool.executor.isCurrent { part() } else { pool.executor.post(urgency, part) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Stops the part in progress; no other part begins.
    func stop() { operation.stop(.cancelled) }

    func finish() async throws {
        try await runPart { [snapshot] connection in
            snapshot.cursor.take()?.finish()
            try connection.commit()
        }
    }
}
