import Dispatch

/// Stopping operations on timeout or cancellation.
extension ConnectionPool {
    /// Starts the timer that stops an operation with a timeout; cancel it when the operation is done.
    func timer(_ limits: OperationLimits, _ ticket: UInt64) -> (any DispatchSourceTimer)? {
        guard let timeout = limits.timeout else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .milliseconds(Int(clamping: max(0, timeout.milliseconds))))
        timer.setEventHandler { [weak self] in self?.stop(ticket, .timedOut) }
        timer.resume()
        return timer
    }

    /// Stops an operation that was cancelled or timed out before it was queued.
    func stopIfLate(_ ticket: UInt64) {
        if let reason = running.stopReason(ticket) { stop(ticket, reason) }
    }

    func stop(_ ticket: UInt64, _ reason: RunningOperations.Reason) {
        // In this order: a request that is queued meanwhile either sees the reason or is found in the queue.
        running.stop(ticket, reason)
        let (waiter, admission) = queue.withLock { $0.cancel(ticket) }
        admit(admission)
        waiter?.resume(.failure(running.errorOfWaiting(ticket, reason, database)))
    }
}
