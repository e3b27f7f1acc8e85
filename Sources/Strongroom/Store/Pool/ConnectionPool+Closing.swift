import Dispatch

extension ConnectionPool {
    /// Whether there is a single connection, which reads and writes share.
    var hasOneConnection: Bool { readers.isEmpty }

    /// The checkpoint report of the close.
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
        if foreign.isOn { foreign.check(try? lastWritersConnection()) }
        readLastValues()
        companions.finish()
        companions.suspend()
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
        companions.suspend()
        let error = closed
        // A connection that cannot write does not checkpoint.
        let mayCheckpoint = isReadOnly && ([writer] + readers).contains { $0.connection?.mode == .existing }
        let keeper = mayCheckpoint ? keeper() : nil
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
