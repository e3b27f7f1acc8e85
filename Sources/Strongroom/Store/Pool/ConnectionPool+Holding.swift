import Dispatch

/// A reader that is held for longer than one operation.
extension ConnectionPool {
    /// Acquires a reader, which is held until the result is deinitialized; the task is suspended until a reader is
    /// free.
    ///
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`.
    func holdReader(_ limits: OperationLimits) async throws -> HeldReader {
        let watch = watch(.read, limits)
        let (slot, operation): (Queue.Slot, PoolOperation)
        do {
            (slot, operation) = try await acquireSlot(.read, limits)
        } catch {
            watch?.end(error)
            throw error
        }
        watch?.grant()
        watch?.end(nil)
        counters.countWork(isReading: true)
        return HeldReader(self, slot, operation)
    }

    /// Runs one part of the work on a held reader, on a thread of the executor.
    func perform<T: Sendable>(
        on held: HeldReader,
        _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        let (slot, operation, urgency) = (held.slot, held.operation, Urgency(Task.currentPriority))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let part: @Sendable () -> Void = { [self] in
                    continuation.resume(with: Result { try runPart(operation, .unshared, in: slot, work) })
                }
                if executor.isCurrent { part() } else { executor.post(urgency, part) }
            }
        } onCancel: {
            held.stop()
        }
    }

    /// Begins one part of the work on a held reader, on a thread of the executor, without waiting for it.
    ///
    /// - Parameter completion: Called on that thread when the part is done, so that another one may begin.
    func begin<T>(
        on held: HeldReader,
        _ urgency: Urgency,
        _ work: @escaping @Sendable (Connection) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        executor.post(urgency) { [self] in
            completion(Result { try runPart(held.operation, .unshared, in: held.slot, work) })
        }
    }

    /// Releases a held reader, after work that runs on a thread of the executor.
    func release(_ slot: Queue.Slot, after work: @escaping @Sendable (Connection) -> Void) {
        executor.postBehind { [self] in
            if let connection = self[slot].connection { work(connection) }
            self[slot].holder.end()
            release(slot) {}
        }
    }
}
