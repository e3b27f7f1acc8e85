import Dispatch

/// Stopping operations on timeout or cancellation.
extension ConnectionPool {
    /// Starts the timer that stops an operation with a timeout; cancel it when the operation is done.
    func timer(for operation: PoolOperation) -> (any DispatchSourceTimer)? {
        guard let timeout = operation.limits.timeout else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .milliseconds(Int(clamping: max(0, timeout.milliseconds))))
        timer.setEventHandler { [weak self] in self?.stop(operation, .timedOut) }
        timer.resume()
        return timer
    }

    /// Stops an operation; has no effect once it is done.
    func stop(_ operation: PoolOperation, _ reason: PoolOperation.StopReason) {
        operation.stop(reason)
        applyStop(to: operation)
    }

    /// Interrupts an operation that has been stopped, or takes it out of the queue.
    ///
    /// Called when it has been stopped and when it has been queued: the later one of the two calls finds it.
    func applyStop(to operation: PoolOperation) {
        guard let reason = operation.stopReason else { return }
        interrupt(operation)
        let (waiter, admission) = queue.withLock { $0.cancel(operation.ticket) }
        admit(admission)
        waiter?.resume(.failure(errorOfWaiting(operation, reason)))
    }

    /// Interrupts an operation that has been stopped while it runs.
    func interrupt(_ operation: PoolOperation) {
        writer.holder.interrupt(operation)
        for reader in readers { reader.holder.interrupt(operation) }
    }

    /// The error for an operation that was stopped while it ran; nil if it was not stopped.
    func errorOfStopped(_ operation: PoolOperation) -> (any Error)? {
        guard let reason = operation.stopReason else { return nil }
        guard reason == .timedOut, let timeout = operation.limits.timeout else { return CancellationError() }
        let message =
            operation.hasBegun
            ? """
            \(operation.name) took longer than \(timeout) and was stopped; nothing of it was kept. Use a longer \
            timeout, or do less at a time.
            """
            : """
            \(operation.name) was not begun within \(timeout): opening its connection took longer, or the machine was \
            busy. Use a longer timeout.
            """
        return StrongroomError(.timedOut, message, database: database)
    }

    /// The error for an operation that was stopped while it waited.
    private func errorOfWaiting(_ operation: PoolOperation, _ reason: PoolOperation.StopReason) -> any Error {
        guard reason == .timedOut, let timeout = operation.limits.timeout else { return CancellationError() }
        let hasOneConnection = readers.isEmpty
        let holders = ([writer] + readers).compactMap(\.holder.current)
            .filter { hasOneConnection || $0.operation.isRival(of: operation) }
            .map { "\($0.operation.name) for \($0.time)" }
        let what =
            hasOneConnection
            ? "the one connection of a store in memory was not free"
            : operation.request == .read
                ? "no reader was free"
                : operation.request == .exclusive ? "not every connection was free" : "the writer was not free"
        let held =
            holders.isEmpty
            ? "a commit, or a checkpoint of the WAL" : holders.sorted().joined(separator: ", ")
        let message = """
            \(operation.name) was not begun: \(what) within \(timeout). Held by: \(held). Use a longer timeout, or do \
            less at a time in those operations.
            """
        return StrongroomError(.timedOut, message, database: database)
    }
}
