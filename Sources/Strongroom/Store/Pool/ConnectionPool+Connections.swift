import Dispatch

/// Opening, lending and closing the connections of the slots.
extension ConnectionPool {
    /// Holds one connection, and records which operation has it, so that the error of one that waits can name it.
    final class Slot: @unchecked Sendable {  // guarded by ConnectionScheduler: one holder at a time
        let role: Connection.Role
        var open: @Sendable (Connection.Role) throws -> Connection
        var connection: Connection?
        private let holding = Locked<PoolOperation?>(nil)
        /// Of the writer: the reader that has its connection, unless that one has been dropped.
        var borrower: Int?
        /// Of a reader: whether its connection was the writer's.
        var isBorrowed = false
        /// Whether the writer was used, or a reader since the last check for unused ones.
        var wasUsed = false

        init(_ role: Connection.Role, open: @escaping @Sendable (Connection.Role) throws -> Connection) {
            self.role = role
            self.open = open
        }

        /// The connection, which is opened if necessary.
        func connected() throws -> Connection {
            if let connection { return connection }
            let opened = try open(role)
            connection = opened
            return opened
        }

        /// The operation that has the slot; nil if there is none.
        var holder: PoolOperation? {
            get { holding.withLock { $0 } }
            set { holding.withLock { $0 = newValue } }
        }
    }

    /// The connection of a slot that the caller holds.
    func connection(of slot: Queue.Slot) throws -> Connection {
        guard slot != .writer else { return try writersConnection() }
        let reader = self[slot]
        dropIfLost(slot)
        let isNew = reader.connection == nil
        if isNew, case .reader(let index) = slot {
            reader.connection = borrowUnusedConnection(for: index)
            reader.isBorrowed = reader.connection != nil
        }
        let connection = try reader.connected()
        if isNew { statistics.withLock { $0.openReaders += 1 } }
        reader.wasUsed = true
        // After counting: a check during the opening would otherwise find no open reader and stop checking.
        idleTimer.recordUse { makeIdleReaderCheck() }
        return connection
    }

    /// Makes what the idle timer calls after a time.
    private func makeIdleReaderCheck() -> IdleTimer.Check {
        { [weak self] in
            guard let self else { return true }
            closeIdleReaders(longIdle: true)
            return statistics.withLock { $0.openReaders } == 0
        }
    }

    /// The writer's connection, which is opened if necessary; for the holder of its slot.
    func writersConnection() throws -> Connection {
        writer.wasUsed = true
        dropIfLost(.writer)
        if writer.connection == nil, writer.borrower != nil {
            for index in queue.withLock({ $0.acquireFreeReaders() }) {
                returnConnection(of: index)
                free(.reader(index))
            }
            // A reader that is in use keeps it.
            writer.borrower = nil
        }
        return try writer.connected()
    }

    // MARK: Lending

    /// Takes the writer's connection for a reader that has none, so that a store which is opened, read and closed has
    /// one connection to the file.
    ///
    /// - Returns: Nil if the writer has used it, or needs it to find commits of other connections.
    private func borrowUnusedConnection(for index: Int) -> Connection? {
        guard !foreign.isOn, queue.withLock({ $0.acquireFreeWriter() }) else { return nil }
        defer { free(.writer) }
        guard !writer.wasUsed, let connection = writer.connection, !connection.isLost, move(connection, to: .reader)
        else { return nil }
        (writer.connection, writer.borrower) = (nil, index)
        return connection
    }

    /// Returns a reader's connection to the writer, if it is the writer's; the caller holds both slots.
    ///
    /// - Returns: Whether it is the writer's.
    @discardableResult
    func returnConnection(of index: Int) -> Bool {
        guard writer.connection == nil, writer.borrower == index, readers[index].isBorrowed,
            let connection = readers[index].connection, !connection.isLost,
            move(connection, to: isReadOnly ? .reader : .writer)
        else { return false }
        drop(.reader(index))
        (writer.connection, writer.borrower) = (connection, nil)
        return true
    }

    private func move(_ connection: Connection, to role: Connection.Role) -> Bool {
        guard (try? connection.change(to: role)) != nil else { return false }
        connection.forgetUserStatements()
        return true
    }

    // MARK: Closing

    /// Closes a connection whose transaction could not be ended: the next holder must not see it.
    func dropIfUnfinished(_ slot: Queue.Slot) {
        guard let connection = self[slot].connection, connection.isInTransaction else { return }
        // The rollback may have been interrupted. A database in memory is lost with its only connection, so roll back
        // again.
        if connection.isInMemory { connection.rollBack() }
        if connection.isInTransaction { drop(slot) }
    }

    /// Closes a connection that reads only zeros from now on; one with an open transaction is closed when that has
    /// ended.
    private func dropIfLost(_ slot: Queue.Slot) {
        guard let connection = self[slot].connection, connection.isLost, !connection.isInTransaction else { return }
        connection.close()
        drop(slot)
    }

    func drop(_ slot: Queue.Slot) {
        self[slot].isBorrowed = false
        guard self[slot].connection.take() != nil, slot != .writer else { return }
        statistics.withLock { $0.openReaders -= 1 }
    }

    /// Closes the connections of unused readers; they are opened again on demand.
    ///
    /// - Parameter longIdle: Whether to keep those that were used since the previous call.
    func closeIdleReaders(longIdle: Bool = false) {
        // In ascending order: the lowest are used most.
        for index in queue.withLock({ $0.acquireFreeReaders() }).reversed() {
            let isKept = longIdle && readers[index].wasUsed
            readers[index].wasUsed = false
            if !isKept { closeReader(index) }
            free(.reader(index))
        }
    }

    /// Closes a reader's connection, or returns it to the writer, which has no other; the caller holds its slot.
    private func closeReader(_ index: Int) {
        if queue.withLock({ $0.acquireFreeWriter() }) {
            defer { free(.writer) }
            if returnConnection(of: index) {
                writer.connection?.releaseMemory()
                return
            }
        }
        // It may be the only connection, which the last checkpoint needs.
        guard !queue.withLock({ $0.isClosing }) else { return }
        drop(.reader(index))
    }

    /// Closes unused readers and empties the writer's page cache.
    func releaseMemory(isObserved: Bool = false) async throws {
        closeIdleReaders()
        try await perform(.ungroupedWrite, OperationLimits(isObserved: isObserved)) { $0.releaseMemory() }
    }
}

/// Commits of other connections, which only the writer's connection can tell from the store's own.
extension ConnectionPool {
    /// Begins to find commits of other connections when the store is observed.
    func followForeignCommits(_ connection: Connection) {
        // Later commits are found, whenever an observer is added. If this fails, the first check reports a change.
        try? connection.recordDataVersion()
        foreign.begin { [weak self] in self?.postForeignCheck() ?? true }
    }

    /// Lets a thread of the executor acquire and release the writer; its release checks.
    ///
    /// - Returns: False if the writer is not free: its holder will check.
    private func postForeignCheck() -> Bool {
        guard queue.withLock({ $0.hasFreeWriter }) else { return false }
        executor.postBehind { [weak self] in
            guard let self, queue.withLock({ $0.acquireFreeWriter() }) else { return }
            free(.writer)
        }
        return true
    }
}
