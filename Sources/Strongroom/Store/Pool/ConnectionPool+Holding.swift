import Dispatch

/// A reader that is taken for longer than one piece of work.
extension ConnectionPool {
    /// Takes a reader for as long as the result is referred to; the task waits for its turn.
    ///
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`.
    func holdReader(_ limits: OperationLimits) async throws -> HeldReader {
        let (slot, ticket) = try await takeSlot(.read, limits)
        counters.countWork(isReading: true)
        return HeldReader(self, slot, ticket)
    }

    /// Runs a part of the work on a reader that is held, on a thread of the executor.
    func perform<T: Sendable>(
        on held: HeldReader,
        _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        let (slot, ticket, urgency) = (held.slot, held.ticket, Urgency(Task.currentPriority))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let part: @Sendable () -> Void = { [self] in
                    continuation.resume(with: Result { try runPart(ticket, .alone, in: slot, work) })
                }
                if executor.isCurrent { part() } else { executor.post(urgency, part) }
            }
        } onCancel: {
            running.stop(ticket, .cancelled)
        }
    }

    /// Gives a reader that was held back, after work that is done on a thread of the executor.
    func giveBack(_ slot: Queue.Slot, _ ticket: UInt64, after work: @escaping @Sendable (Connection) -> Void) {
        executor.postBehind { [self] in
            if let connection = self[slot].connection { work(connection) }
            running.end(ticket)
            release(slot) {}
        }
    }
}
