import Dispatch
import Synchronization

/// Work for which no connection is open.
extension ConnectionPool {
    /// Every slot of a store, for as long as this is referred to, or until ``end()``.
    final class Alone: Sendable {
        private let pool: ConnectionPool
        private let ticket: UInt64
        private let hasEnded = Atomic(false)

        fileprivate init(_ pool: ConnectionPool, _ limits: OperationLimits) async throws {
            self.pool = pool
            ticket = try await pool.takeSlot(.alone, limits).ticket
        }

        /// Lets those who wait go on.
        func end() {
            guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
            pool.running.end(ticket)
            pool.admit(pool.queue.withLock { $0.endAlone() })
        }

        deinit {
            end()
        }
    }

    /// Waits until nothing runs in the store; meanwhile others go on to read and write, until those are done who were
    /// there before.
    ///
    /// - Parameter limits: How long those who run are waited for.
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`, or `timedOut` naming those who were waited
    ///   for.
    func takeAlone(_ limits: OperationLimits) async throws -> Alone {
        try await Alone(self, limits)
    }

    /// Closes every connection of the store, runs work on a thread of its own, and lets those go on who came meanwhile,
    /// on connections that are opened anew.
    ///
    /// - Parameters:
    ///   - progress: Told how far the work has come.
    ///   - work: Gets a monitor, which is cancelled with the task.
    /// - Throws: `CancellationError`; what the work throws.
    func perform<T: Sendable>(
        _ alone: Alone,
        _ progress: @escaping WorkMonitor.Progress,
        _ work: @escaping @Sendable (WorkMonitor) throws -> T
    ) async throws -> T {
        // Given back when the work is done, also when it throws.
        try await WorkMonitor.run(progress) { [self] monitor in
            defer { alone.end() }
            closeConnections()
            // Before anybody reads: only a writer brings the file back to the mode of the log. Whoever needs it opens
            // it again.
            defer { writer.connection = try? writer.open(.writer) }
            return try work(monitor)
        }
    }

    private func closeConnections() {
        for slot in readers.indices.map(Queue.Slot.reader) {
            self[slot].connection?.close()
            drop(slot)
        }
        guard let connection = writer.connection.take() else { return }
        hub.note(connection.takeChangedTables())
        connection.close()
    }

    // MARK: Admission

    /// Milliseconds for which the first attempt to get every slot keeps others out; each further one twice as long.
    private static let firstPatience = 500
    private static let mostDoublings = 12

    /// Admits everybody again when an attempt to get every slot takes long: one who has a slot may wait for another
    /// one.
    func relent(after drain: Queue.Drain) {
        let patience = Self.firstPatience << min(drain.round, Self.mostDoublings)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(patience)) { [weak self] in
            guard let self else { return }
            admit(queue.withLock { $0.relent(drain) })
        }
    }

    /// Tells those who need not wait any more.
    func admit(_ admission: Queue.Admission) {
        for (waiter, slot) in admission.slots { waiter.resume(.success(slot)) }
        admission.alone?.resume(.success(.writer))
        if admission.isClose { whenDrained.signal() }
    }
}
