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
    /// How many stores ``closeAll()`` closes at the same time.
    private static let closings = 16

    /// Closes every open store, several at a time.
    ///
    /// - Throws: The first failure; the other stores are closed nevertheless.
    public func closeAll() async throws {
        let openings = state.withLock { Array($0.openings.values) }
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            var failure: (any Error)?
            for (index, opening) in openings.enumerated() {
                if index >= Self.closings, let ended = await group.next() { failure = failure ?? ended }
                group.addTask {
                    // A failed opening has no store to close, and its caller has the error.
                    guard case .success(let store) = await opening.result else { return nil }
                    do {
                        try await store.close()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await ended in group { failure = failure ?? ended }
            return failure
        }
        if let failure { throw failure }
    }

    /// The names of the stores that are open, or are being opened or closed.
    var openNames: [DatabaseName] {
        state.withLock { $0.registry.openNames.sorted { $0.fileName < $1.fileName } }
    }

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
        perform { $0.end() }
        for work in state.withLock({ $0.endless.values }) { work.cancel() }
        while state.withLock({ $0.registry.isInUse }), ContinuousClock.now - start < time { await pause() }
        report.holders = state.withLock { $0.holders.values.sorted { $0.since < $1.since } }
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
