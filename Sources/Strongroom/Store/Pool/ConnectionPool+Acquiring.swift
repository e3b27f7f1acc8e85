import Dispatch

/// Acquiring a connection; every other operation of the pool is built on it.
extension ConnectionPool {
    /// Requests a slot.
    ///
    /// - Parameters:
    ///   - isLast: Whether the request is still accepted while the store is closing.
    ///   - waiter: Resumed with the slot if it is not free.
    /// - Returns: The slot, or nil if the waiter is resumed later.
    /// - Throws: ``StrongroomError`` with `closed`.
    func acquire(
        _ request: Queue.Request, _ ticket: UInt64, isLast: Bool = false, _ waiter: @autoclosure () -> Waiter
    ) throws -> Queue.Slot? {
        switch queue.withLock({ $0.request(request, ticket: ticket, isLast: isLast, waiter: waiter()) }) {
        case .granted(let slot): return slot
        case .closed: throw closed
        case .waiting:
            counters.countWait()
            stopIfLate(ticket)
            return nil
        }
    }

    /// Acquires a slot, blocking the current thread until it is available, and runs work with it.
    ///
    /// - Parameter work: Must release the slot.
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store, `closed`, `timedOut`;
    ///   what the work throws.
    func acquireBlocking<T>(
        _ request: Queue.Request, _ limits: OperationLimits, _ work: (Queue.Slot, _ ticket: UInt64) throws -> T
    ) throws -> T {
        guard !CurrentTransaction.isInside(self) else { throw nested }
        let ticket = nextTicket()
        running.request(ticket, request, limits)
        defer { running.end(ticket) }
        let timer = timer(limits, ticket)
        defer { timer?.cancel() }
        let handover = Promise<Result<Queue.Slot, any Error>>()
        let granted = try acquire(request, ticket, Waiter { handover.fulfill($0) })
        return try work(try granted ?? executor.blocking { handover.wait() }.get(), ticket)
    }

    /// Acquires a slot; the task waits without blocking a thread.
    ///
    /// - Parameter proceed: Called once, with the slot or with the error, on the current thread or on the thread that
    ///   released the slot. Resumes the continuation, and releases the slot or leaves that to the caller.
    /// - Throws: `CancellationError` if the task is cancelled before it acquires the slot; the error the continuation
    ///   is resumed with. After that, nothing stops the ticket any more.
    func acquire<T: Sendable>(
        _ request: Queue.Request, _ limits: OperationLimits,
        _ proceed: @escaping @Sendable (AdmittedRequest<T>, Result<Queue.Slot, any Error>) -> Void
    ) async throws -> T {
        try Task.checkCancellation()
        let ticket = nextTicket()
        let urgency = Urgency(Task.currentPriority)
        running.request(ticket, request, limits)
        let timer = timer(limits, ticket)
        defer { timer?.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let admitted = AdmittedRequest(ticket: ticket, urgency: urgency, continuation: continuation)
                    do {
                        let slot = try acquire(
                            request, ticket, isLast: limits.isLast, Waiter { proceed(admitted.afterWaiting, $0) })
                        if let slot { proceed(admitted, .success(slot)) }
                    } catch {
                        proceed(admitted, .failure(error))
                    }
                }
            } onCancel: {
                stop(ticket, .cancelled)
            }
        } catch {
            running.end(ticket)
            throw error
        }
    }

    /// A request of a task for a slot, which has been granted or has failed.
    struct AdmittedRequest<T: Sendable>: Sendable {
        let ticket: UInt64
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
    func acquireSlot(_ request: Queue.Request, _ limits: OperationLimits) async throws -> (Queue.Slot, ticket: UInt64) {
        let (slot, ticket) = try await acquire(request, limits) {
            (admitted: AdmittedRequest<(Queue.Slot, UInt64)>, slot) in
            admitted.continuation.resume(with: slot.map { ($0, admitted.ticket) })
        }
        running.hold(ticket)
        return (slot, ticket)
    }
}
