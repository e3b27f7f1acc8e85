import Dispatch

/// Ending work that takes too long or is not wanted any more.
extension ConnectionPool {
    /// Stops work that takes too long, if it has a limit; to be cancelled when the work is done.
    func timer(_ limits: OperationLimits, _ ticket: UInt64) -> (any DispatchSourceTimer)? {
        guard let timeout = limits.timeout else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .milliseconds(Int(clamping: max(0, timeout.milliseconds))))
        timer.setEventHandler { [weak self] in self?.stop(ticket, .timedOut) }
        timer.resume()
        return timer
    }

    /// Stops work that was stopped before it waited.
    func stopIfLate(_ ticket: UInt64) {
        if let reason = running.stopReason(ticket) { stop(ticket, reason) }
    }

    func stop(_ ticket: UInt64, _ reason: RunningOperations.Reason) {
        // In this order: whoever begins to wait meanwhile finds the reason, or is found.
        running.stop(ticket, reason)
        let (waiter, admission) = queue.withLock { $0.cancel(ticket) }
        admit(admission)
        waiter?.resume(.failure(running.errorOfWaiting(ticket, reason, database)))
    }
}
