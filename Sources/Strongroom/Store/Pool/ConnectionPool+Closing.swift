import Dispatch
import Synchronization

extension ConnectionPool {
    var hasOneConnection: Bool { readers.isEmpty }

    var closing: CheckpointReport? { closingReport.withLock { $0 } }

    /// Whether the store is closing or closed.
    var isClosing: Bool { queue.withLock { $0.isClosing } }

    /// Closes the connections; checkpoints the WAL first unless the store is read-only. Waits for readers in other
    /// processes at most the shorter of the busy timeout and `Connection.patience`: frames that stay in the WAL are
    /// durable there.
    ///
    /// - Parameter keepsLog: Whether the empty WAL and its index stay beside the file, for the next opening.
    func close(keepsLog: Bool = false) throws {
        try close { [isReadOnly] connection in
            guard !isReadOnly else { return nil }
            // It is closed last.
            if keepsLog { connection.keepLog() }
            return connection.checkpointBeforeClose(patience: min(connection.waiting.timeout, Connection.patience))
        }
    }

    /// Stops admission, waits for running and waiting operations, checkpoints the WAL, and closes the connections.
    ///
    /// A concurrent second call returns when the first one is done.
    ///
    /// - Parameter last: The last operation; ``closing`` returns its report.
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store; in the first call, the
    ///   error of the last operation, after the connections have been closed.
    func close(last: (Connection) throws -> CheckpointReport?) throws {
        guard !CurrentTransaction.isInside(self) else { throw nested }
        // One step, so that no concurrent close stops admission before all deferred writes are queued. They are
        // released outside the lock.
        _ = deferredWrites.withLock { writes in
            defer { writes = [:] }
            for write in writes.values { write.queue() }
            return writes
        }
        let (isFirst, isIdle) = queue.withLock { queue in
            let isFirst = !queue.isClosing
            return (isFirst, queue.close())
        }
        guard isFirst else {
            executor.blocking { whenDismantled.wait() }
            whenDismantled.signal()
            return
        }
        if !isIdle { executor.blocking { whenDrained.wait() } }
        // The completion of a failed queued write may run after the writer's slot was released.
        executor.blocking { queued.wait() }
        defer {
            dismantle(isWaiting: true)
            whenDismantled.signal()
        }
        if foreign.isOn {
            if writer.borrower != nil { for index in readers.indices { returnConnection(of: index) } }
            foreign.check(try? writersConnection())
        }
        readLastValues()
        finishParticipants()
        suspendParticipants()
        // Any of them can checkpoint; this is the one that ``dismantle(isWaiting:)`` closes last.
        guard let connection = writer.connection ?? readers.last(where: { $0.connection != nil })?.connection else {
            return
        }
        connection.beginWork(.unshared)
        let report = try last(connection)
        closingReport.withLock { $0 = report }
    }

    /// Reads the values that observers have not received yet, when there are no further writes.
    private func readLastValues() {
        let reads = broadcaster.unfinishedReads
        guard !reads.isEmpty else { return }
        do {
            var reader = try hasOneConnection ? writer.connected() : readers[0].open(.reader)
            defer { if !hasOneConnection { reader.close() } }
            for read in reads {
                // A damaged page that one observer has met is no failure of the others.
                if reader.isLost, !hasOneConnection {
                    reader.close()
                    reader = try readers[0].open(.reader)
                }
                reader.beginWork(.unshared)
                CurrentTransaction.inside(self) { read(reader) }
            }
        } catch {
            // If no reader can be opened, the observations end without the newest value; closing does not fail because
            // of that.
        }
    }

    /// Closes the connections, the writer's last so that the engine checkpoints the WAL, and ends the threads.
    ///
    /// - Parameter isWaiting: Whether to wait until the idle threads have ended.
    func dismantle(isWaiting: Bool = false) {
        suspendParticipants()
        let error = closed
        // A connection that cannot write does not checkpoint.
        let mayCheckpoint = isReadOnly && ([writer] + readers).contains { $0.connection?.mode == .existing }
        let keeper = beforeClosing(mayCheckpoint)
        defer { keeper?.close() }
        for slot in readers.indices.map(Queue.Slot.reader) + [.writer] {
            // The thread that opened the connection may still retain it.
            self[slot].connection?.close()
            drop(slot)
            // The opening closure retains the key, and a closed store may be retained for long.
            self[slot].open = { _ in throw error }
        }
        broadcaster.close()
        executor.removeStore(isWaiting: isWaiting)
        whenClosed.withLock { $0.take() }?()
    }

    var closed: StrongroomError {
        StrongroomError(.closed, "The store is closed; open it again.", database: database)
    }

    var nested: StrongroomError {
        StrongroomError(
            .nestedAccess,
            """
            A blocking read, write or close inside a transaction of the same store would wait for itself. Use the \
            transaction.
            """,
            database: database
        )
    }
}

/// Stopping operations on timeout or cancellation.
extension ConnectionPool {
    /// Starts the timer that stops an operation with a timeout; cancel it when the operation is done.
    func timer(for operation: PoolOperation) -> (any DispatchSourceTimer)? {
        operation.limits.timeout.map { startTimer(after: $0) { [weak self] in self?.stop(operation, .timedOut) } }
    }

    /// Stops an operation; has no effect once it is done.
    func stop(_ operation: PoolOperation, _ reason: PoolOperation.StopReason) {
        operation.stop(reason)
        applyStop(to: operation)
    }

    /// Removes an operation that has been stopped from the queue.
    ///
    /// Called when it has been stopped and when it has been queued: the later one of the two calls finds it.
    func applyStop(to operation: PoolOperation) {
        guard let reason = operation.stopReason else { return }
        let (waiter, admission) = queue.withLock { $0.cancel(operation.ticket) }
        admit(admission)
        waiter?.resume(.failure(errorOfWaiting(operation, reason)))
    }

    /// The error for an operation that was stopped while it ran; nil if it was not stopped.
    func errorOfStopped(_ operation: PoolOperation) -> (any Error)? {
        guard let reason = operation.stopReason else { return nil }
        guard reason == .timedOut, let timeout = operation.limits.timeout else { return CancellationError() }
        let message =
            operation.time != nil
            ? """
            \(operation.name) took longer than \(timeout) and was stopped; nothing of it was kept. Use a longer \
            timeout, or do less at a time.
            """
            : """
            \(operation.name) was not begun within \(timeout): opening its connection took longer, or the machine was \
            busy. Use a longer timeout.
            """
        return StrongroomError(.timedOut, message, database: database)
    }

    /// The error for an operation that was stopped while it waited.
    private func errorOfWaiting(_ operation: PoolOperation, _ reason: PoolOperation.StopReason) -> any Error {
        guard reason == .timedOut, let timeout = operation.limits.timeout else { return CancellationError() }
        let holders = ([writer] + readers).compactMap(\.holder)
            .filter { hasOneConnection || $0.isRival(of: operation) }
            .compactMap { holder in holder.time.map { "\(holder.name) for \($0)" } }
        let what =
            hasOneConnection
            ? "the one connection of a store in memory was not free"
            : operation.request == .read
                ? "no reader was free"
                : operation.request == .exclusive ? "not every connection was free" : "the writer was not free"
        let held =
            holders.isEmpty
            ? "a commit, or a checkpoint of the WAL" : holders.sorted().joined(separator: ", ")
        let message = """
            \(operation.name) was not begun: \(what) within \(timeout). Held by: \(held). Use a longer timeout, or do \
            less at a time in those operations.
            """
        return StrongroomError(.timedOut, message, database: database)
    }
}

/// Operations that run while the store has no open connection.
extension ConnectionPool {
    /// Holds every slot of a store until it is deinitialized or ``end()`` is called.
    final class ExclusiveAccess: Sendable {
        private let pool: ConnectionPool
        private let hasEnded = Atomic(false)

        /// - Parameter pool: Its slots have been acquired.
        fileprivate init(of pool: ConnectionPool) {
            self.pool = pool
        }

        /// Releases the slots and admits the waiting operations.
        func end() {
            guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
            pool.writer.holder = nil
            pool.admit(pool.queue.withLock { $0.endExclusive() })
        }

        deinit {
            end()
        }
    }

    /// Waits until no operation runs in the store. Reads and writes are admitted until the operations that ran before
    /// this call have ended.
    ///
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`, or `timedOut` naming the operations that held
    ///   the connections.
    func acquireExclusively(_ limits: OperationLimits) async throws -> ExclusiveAccess {
        _ = try await acquireSlot(.exclusive, limits)
        return ExclusiveAccess(of: self)
    }

    /// Closes every connection of the store, runs work on a dedicated thread, and then admits the waiting operations on
    /// newly opened connections.
    ///
    /// - Parameter work: Receives a monitor, which is cancelled with the task.
    /// - Throws: `CancellationError`; what the work throws.
    func perform<T: Sendable>(
        _ access: ExclusiveAccess,
        _ progress: @escaping WorkMonitor.Progress,
        _ work: @escaping @Sendable (WorkMonitor) throws -> T
    ) async throws -> T {
        // Releases the slots when the work is done, also when it throws.
        try await WorkMonitor.run(progress) { [self] monitor in
            defer {
                access.end()
                foreign.renew()
                resumeParticipants()
            }
            suspendParticipants()
            closeConnections()
            // Before any read starts: only a writer switches the file back to WAL mode. If opening fails here, the next
            // write opens the connection again.
            defer { writer.connection = try? writer.open(.writer) }
            return try work(monitor)
        }
    }

    private func closeConnections() {
        for slot in readers.indices.map(Queue.Slot.reader) {
            self[slot].connection?.close()
            drop(slot)
        }
        writer.borrower = nil
        guard let connection = writer.connection.take() else { return }
        broadcaster.report(connection.removeChangedTables())
        connection.close()
    }

    // MARK: Admission

    /// How long the first attempt to acquire every slot stops admission, in milliseconds; doubles with each further
    /// attempt.
    private static let firstPatience = 500
    private static let maxDoublings = 12

    /// Resumes admission if an attempt to acquire every slot takes long: an operation that holds a slot may be waiting
    /// for another slot.
    func resumeAdmission(after drain: Queue.Drain) {
        let patience = Self.firstPatience << min(drain.round, Self.maxDoublings)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(patience)) { [weak self] in
            guard let self else { return }
            admit(queue.withLock { $0.resumeAdmission(drain) })
        }
    }

    func admit(_ admission: Queue.Admission) {
        resume(admission)
        // Requested while no operation was admitted.
        if foreign.isDue { foreign.request() }
    }

    /// Resumes the admitted waiters.
    func resume(_ admission: Queue.Admission) {
        for (waiter, slot) in admission.slots { waiter.resume(.success(slot)) }
        admission.exclusive?.resume(.success(.writer))
        if let drain = admission.drain { resumeAdmission(after: drain) }
        if admission.isClose { whenDrained.signal() }
    }
}
