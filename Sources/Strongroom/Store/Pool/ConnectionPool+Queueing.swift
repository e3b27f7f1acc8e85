import Dispatch

extension ConnectionPool {
    /// Queues a write and returns at once; the work runs later, on a thread of the executor, in a transaction that
    /// other writes may share.
    ///
    /// Closing the store waits for the work and for `finish`.
    ///
    /// - Parameters:
    ///   - work: Runs in a transaction that it neither begins nor ends.
    ///   - undone: Called if the work has failed and is undone, before the next write; must return quickly.
    ///   - finish: Called once with the outcome, on the thread that has committed; must neither read nor write with a
    ///     blocking call, nor wait for a thread that does.
    func queueWrite(
        _ label: String,
        _ work: @escaping @Sendable (Connection) throws -> Void,
        undone: @escaping @Sendable () -> Void,
        finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let operation = makeOperation(.write, OperationLimits(label: label))
        let watch = watch(.write, operation.limits)
        queued.enter()
        let end: @Sendable (Result<Void, any Error>) -> Void = { [self] result in
            if let watch {
                switch result {
                case .success: watch.end(nil)
                case .failure(let error): watch.end(error)
                }
            }
            CurrentTransaction.inside(self) { finish(result) }
            queued.leave()
        }
        let accepting: @Sendable (Connection) throws -> Void = { connection in
            do {
                try connection.acceptingRollback({ try work(connection) }, undone: {})
            } catch is RequestedRollback {
                throw StrongroomError(
                    .writeRefused,
                    "A hook called `rollBack()`, so the write was undone. Correct the record, and write it again.",
                    database: connection.database)
            }
        }
        // After the queued work: the current thread may be one of the executor's, and has other work to run next.
        let start: @Sendable () -> Void = { [self] in
            watch?.grant()
            executor.postBehind { [self] in writeInGroup(accepting, operation, undone: undone, finish: end) }
        }
        let waiter = Waiter { [executor] result in
            switch result {
            case .success: start()
            case .failure(let error): executor.postBehind { end(.failure(error)) }
            }
        }
        do {
            try requireWriting()
            if try acquire(operation, waiter) != nil { start() }
        } catch {
            executor.postBehind { end(.failure(error)) }
        }
    }
}
