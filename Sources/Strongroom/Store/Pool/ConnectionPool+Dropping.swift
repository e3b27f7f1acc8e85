extension ConnectionPool {
    /// Closes a connection whose transaction could not be ended: the next holder must not see it.
    func dropIfUnfinished(_ slot: Queue.Slot) {
        guard let connection = self[slot].connection, connection.isInTransaction else { return }
        // The rollback may have been interrupted. A database in memory is lost with its only connection, so roll back
        // again.
        if connection.isInMemory { connection.rollBack() }
        if connection.isInTransaction { drop(slot) }
    }

    func drop(_ slot: Queue.Slot) {
        guard self[slot].connection.take() != nil, slot != .writer else { return }
        counters.countOpenReaders(-1)
    }

    /// Closes the connections of unused readers; they are opened again on demand.
    ///
    /// - Parameter longIdle: Whether to keep those that were used since the previous call.
    func closeIdleReaders(longIdle: Bool = false) {
        // In ascending order: the lowest are used most.
        for index in queue.withLock({ $0.acquireFreeReaders() }).reversed() {
            let isKept = longIdle && readers[index].wasUsed
            readers[index].wasUsed = false
            if !isKept { drop(.reader(index)) }
            free(.reader(index))
        }
    }

    /// Closes unused readers and empties the writer's page cache.
    func releaseMemory(isObserved: Bool = false) async throws {
        closeIdleReaders()
        try await perform(.ungroupedWrite, OperationLimits(isObserved: isObserved)) { $0.releaseMemory() }
    }
}
