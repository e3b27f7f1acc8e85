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
            counters.countWait()
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
        var handover: Promise<Result<Queue.Slot, any Error>>?
        func waiter() -> Waiter {
            let promise = Promise<Result<Queue.Slot, any Error>>()
            handover = promise
            return Waiter { promise.fulfill($0) }
        }
        if let slot = try acquire(operation, waiter()) { return try work(slot, operation) }
        guard let handover else { throw closed }
        return try work(try executor.blocking { handover.wait() }.get(), operation)
    }

    /// Acquires a slot; the task waits without blocking a thread.
    ///
    /// - Parameter proceed: Called once, with the slot or with the error, on the current thread or on the thread that
    ///   released the slot. Resumes the continuation, and releases the slot or leaves that to the caller.
    /// - Throws: `CancellationError` if the task is cancelled before it acquires the slot; the error the continuation
    ///   is resumed with. After that, nothing stops the operation any more.
    func acquire<T: Sendable>(
        _ request: Queue.Request, _ limits: OperationLimits,
        _ proceed: @escaping @Sendable (AdmittedRequest<T>, Result<Queue.Slot, any Error>) -> Void
    ) async throws -> T {
        try Task.checkCancellation()
        let operation = makeOperation(request, limits)
        let urgency = Urgency(Task.currentPriority)
        let timer = timer(for: operation)
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let admitted = AdmittedRequest(operation: operation, urgency: urgency, continuation: continuation)
                do {
                    let slot = try acquire(operation, Waiter { proceed(admitted.afterWaiting, $0) })
                    if let slot { proceed(admitted, .success(slot)) }
                } catch {
                    proceed(admitted, .failure(error))
                }
            }
        } onCancel: {
            stop(operation, .cancelled)
        }
    }

    /// A request of a task for a slot, which has been granted or has failed.
    struct AdmittedRequest<T: Sendable>: Sendable {
        let operation: PoolOperation
        let urgency: Urgency
        let continuation: CheckedContinuation<T, any Error>
        /// Whether it starts on the thread that made the request.
        var isImmediate = true

        /// The same request, after the task has waited.
        var afterWaiting: AdmittedRequest {
            var copy = self
            copy.isImmediate = false
            return copy
        }
    }

    /// Acquires a slot, which the caller must release; the task is suspended until then.
    func acquireSlot(_ request: Queue.Request, _ limits: OperationLimits) async throws -> (Queue.Slot, PoolOperation) {
        let (slot, operation) = try await acquire(request, limits) {
            (admitted: AdmittedRequest<(Queue.Slot, PoolOperation)>, slot) in
            admitted.continuation.resume(with: slot.map { ($0, admitted.operation) })
        }
        self[slot].holder.record(operation)
        return (slot, operation)
    }
}
