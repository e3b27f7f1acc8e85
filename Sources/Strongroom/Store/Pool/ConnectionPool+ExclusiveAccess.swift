import Dispatch
import Synchronization

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
            pool.writer.holder.end()
            pool.admit(pool.queue.withLock { $0.endExclusive() })
        }

        deinit {
            end()
        }
    }

    /// Waits until no operation runs in the store. Reads and writes are admitted until the operations that ran before
    /// this call have ended.
    ///
    /// - Parameter limits: How long to wait for the running operations.
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`, or `timedOut` naming the operations that held
    ///   the connections.
    func acquireExclusively(_ limits: OperationLimits) async throws -> ExclusiveAccess {
        _ = try await acquireSlot(.exclusive, limits)
        return ExclusiveAccess(of: self)
    }

    /// Closes every connection of the store, runs work on a dedicated thread, and then admits the waiting operations on
    /// newly opened connections.
    ///
    /// - Parameters:
    ///   - progress: Called with the progress of the work.
    ///   - work: Receives a monitor, which is cancelled with the task.
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
                companions.resume()
            }
            companions.suspend()
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

    /// Resumes the admitted waiters.
    func admit(_ admission: Queue.Admission) {
        for (waiter, slot) in admission.slots { waiter.resume(.success(slot)) }
        admission.exclusive?.resume(.success(.writer))
        if admission.isClose { whenDrained.signal() }
        // Requested while no operation was admitted.
        if foreign.isDue { foreign.request() }
    }
}
