extension ConnectionPool {
    /// Closes a connection whose transaction could not be ended: nothing of it must reach the next holder.
    func dropIfUnfinished(_ slot: Queue.Slot) {
        guard let connection = self[slot].connection, connection.isInTransaction else { return }
        // An interrupt may have met the rollback; with its only connection a database in memory would be gone.
        if connection.isInMemory { connection.rollBack() }
        if connection.isInTransaction { drop(slot) }
    }

    func drop(_ slot: Queue.Slot) {
        guard self[slot].connection.take() != nil, slot != .writer else { return }
        counters.countOpenReaders(-1)
    }

    /// Closes the connections of readers that nobody uses; they are opened again when they are needed.
    ///
    /// - Parameter longIdle: Whether those are kept that have been used since this was asked for the last time.
    func closeIdleReaders(longIdle: Bool = false) {
        // The lowest first, which are used most.
        for place in queue.withLock({ $0.takeFreeReaders() }).reversed() {
            let isKept = longIdle && readers[place].wasUsed
            readers[place].wasUsed = false
            if !isKept { drop(.reader(place)) }
            giveBack(.reader(place))
        }
    }
}
