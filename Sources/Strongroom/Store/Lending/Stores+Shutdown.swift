/// What a shutdown of a registry has done.
public struct ShutdownReport: Sendable {
    /// The uses of stores that had not ended when the time was over, the longest first.
    public var holders: [StoreHolder] = []
    /// The databases whose stores were not closed when that time had passed twice: an operation of theirs, or their
    /// opening, was still running.
    public var unclosed: [DatabaseName] = []
    /// Errors of closing.
    public var failures: [any Error] = []
    /// How long the shutdown took.
    public var duration = Duration.zero

    /// Whether every use had ended and every store is closed.
    public var isComplete: Bool { holders.isEmpty && unclosed.isEmpty && failures.isEmpty }
}

extension Stores {
    /// Ends the registry: refuses new work, waits for the users of lent stores, checkpoints and closes every store.
    ///
    /// ```swift
    /// let report = await stores.shutDown(within: .seconds(10))
    /// for holder in report.holders { logger.warning("held up by \(holder)") }
    /// ```
    ///
    /// From now on `open`, `withStore` and `lease` throw `closed`, and so do requests that wait; work in
    /// ``StoreLease/untilShutdown(_:)`` is cancelled. When the time is over, the stores that are still in use are
    /// closed as well: operations that run are completed, further ones throw `closed`; the report says who used them.
    /// What was acknowledged is in the file in any case.
    ///
    /// - Parameter time: How long to wait for users, and then at most as long again for operations that run.
    /// - Returns: What held the shutdown up, and what failed.
    @discardableResult
    public func shutDown(within time: Duration) async -> ShutdownReport {
        let start = ContinuousClock.now
        var report = ShutdownReport()
        refuseOpenings()
        shutdown.give()
        perform(lending.withLock { $0.end() })
        while lending.withLock({ $0.isInUse }), ContinuousClock.now - start < time { await pause() }
        report.holders = holders.all
        let outcome = Locked<(isDone: Bool, failure: (any Error)?)>((false, nil))
        Task.detached(executorPreference: Self.opener) { [self] in
            var failure: (any Error)?
            do { try await closeAll() } catch { failure = error }
            outcome.withLock { $0 = (true, failure) }
        }
        let end = max(ContinuousClock.now, start + time) + time
        while !outcome.withLock({ $0.isDone }), ContinuousClock.now < end { await pause() }
        if let failure = outcome.withLock({ $0.failure }) { report.failures.append(failure) }
        report.unclosed = openNames
        report.duration = ContinuousClock.now - start
        return report
    }

    /// Also waits if the task is cancelled, as it is when a service shuts down.
    private func pause() async {
        await Task.detached { try? await Task.sleep(for: .milliseconds(5)) }.value
    }
}
