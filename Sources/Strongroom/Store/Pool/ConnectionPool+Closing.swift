import Dispatch

extension ConnectionPool {
    /// Whether there is one connection alone, with which those who read take turns with those who write.
    var hasOneSeat: Bool { readers.isEmpty }

    /// What closing has come to.
    var closing: CheckpointReport? { closingReport.withLock { $0 } }

    /// Whether somebody is closing it or has closed it.
    var isClosing: Bool { queue.withLock { $0.isClosing } }

    /// Closes the connections; checkpoints the WAL first, unless the store is read-only. Other programs that read
    /// meanwhile are not waited for as long as a write would wait: what they keep in the WAL is as safe there.
    func close() throws {
        try close { [isReadOnly] connection in
            guard !isReadOnly else { return nil }
            return connection.checkpointAfterCommit(patience: min(connection.waiting.timeout, Connection.patience))
        }
    }

    /// Admits nobody from now on, waits for what runs and what waits already, checkpoints the WAL, and closes
    /// the connections.
    ///
    /// Whoever is not the first to close returns when the first one is done.
    ///
    /// - Parameter last: The last work, whose report ``closing`` is.
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store; to the first one, what
    ///   the last work throws, and the connections are closed all the same.
    func close(last: (Connection) throws -> CheckpointReport?) throws {
        guard !CurrentTransaction.isInside(self) else { throw nested }
        // One step, so that nobody else who closes it shuts the line before all are in it. They are let go of outside
        // the lock.
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
            executor.blocking { turnstile.wait() }
            turnstile.signal()
            return
        }
        if !isIdle { executor.blocking { whenDrained.wait() } }
        // Who is told of a failure may be told after the writer's slot was given back.
        executor.blocking { queued.wait() }
        defer {
            dismantle(isWaiting: true)
            turnstile.signal()
        }
        readLastValues()
        guard let connection = writer.connection else { return }
        connection.beginWork(.alone)
        let report = try last(connection)
        closingReport.withLock { $0 = report }
    }

    /// Reads the values that those who observe them have not got yet, when nothing is written any more.
    private func readLastValues() {
        let reads = hub.unfinishedReads
        guard !reads.isEmpty, let writer = writer.connection else { return }
        do {
            let reader = writer.isInMemory ? writer : try readers[0].open(.reader)
            defer { if !writer.isInMemory { reader.close() } }
            for read in reads {
                reader.beginWork(.alone)
                CurrentTransaction.inside(self, reader) { read(reader) }
            }
        } catch {
            // Where no reader can be opened the observers end without the newest value; closing does not fail for it.
        }
    }

    /// Closes the connections, the writer's last, so that the engine checkpoints the WAL, and ends the
    /// threads.
    ///
    /// - Parameter isWaiting: Whether to wait until the threads that have nothing to do are at their end.
    func dismantle(isWaiting: Bool = false) {
        let error = closed
        // One that cannot write brings nothing into the file.
        let mayCheckpoint = isReadOnly && ([writer] + readers).contains { $0.connection?.mode == .existing }
        let keeper = mayCheckpoint ? keeper() : nil
        defer { keeper?.close() }
        for slot in readers.indices.map(Queue.Slot.reader) + [.writer] {
            // The thread that opened it may not have let go of it yet.
            self[slot].connection?.close()
            drop(slot)
            // What opens a connection knows the key, and a closed store may be held for long.
            self[slot].open = { _ in throw error }
        }
        memory.clear()
        hub.close()
        executor.retire(isWaiting: isWaiting)
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
