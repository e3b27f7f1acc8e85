import Strongroom

extension Replication {
    /// One iteration of the loop: ships what is committed.
    ///
    /// - Returns: False if the loop ends.
    func iterate() async -> Bool {
        let (request, isLast, isSuspended) = state.withLock { ($0.requests, $0.isEnding, $0.isSuspended) }
        guard let store = store.value else { return await end() }
        if isSuspended, !isLast {
            await shipper.forgetPosition()
            return true
        }
        guard state.withLock({ $0.status.phase }) != .lost else { return await end() }
        let start = ContinuousClock.now
        do {
            let isShipper = try await shipper.ship(
                store, isLast: isLast, begun: { state.withLock { $0.requests } }, reached: resume(upTo:_:))
            guard isShipper else {
                return try await standBy(store, request, isLast)
            }
            let progress = await shipper.progress
            state.withLock { state in
                if state.status.phase != .lost { state.status.phase = .following }
                state.status.failure = nil
                state.status.completeUntil = start
                state.status.record(progress)
                state.failures = 0
            }
        } catch let error as StrongroomError where error.isFinal {
            lose(store, error)
            return await end()
        } catch {
            fail(error)
        }
        guard isLast || Task.isCancelled else { return true }
        await releaseLease()
        return await end()
    }

    /// Another process of this host ships; waiters are resumed when the replica has what the database has.
    private func standBy(_ store: Store, _ request: Int, _ isLast: Bool) async throws -> Bool {
        let hasWaiters = state.withLock { state in
            state.status.phase = .standby
            return state.waiters.contains { $0.request <= request }
        }
        if hasWaiters, try await shipper.isComplete(store) {
            let waiters = state.withLock { $0.removeWaiters { $0 <= request } }
            for waiter in waiters { waiter.resume() }
        }
        return isLast || Task.isCancelled ? await end() : true
    }

    /// Gives the lease back when the store closes.
    private func releaseLease() async {
        guard let leases, await shipper.isShipper else { return }
        let isHeld = state.withLock { state in
            defer { state.lease = nil }
            return state.lease != nil && state.isWriter && state.status.phase != .lost
        }
        if isHeld { try? await leases.release() }
    }

    /// Resumes the waiters of what is in the replica now.
    private func resume(upTo request: Int, _ progress: Shipper.Progress) {
        let waiters = state.withLock { state in
            if state.status.phase != .lost { state.status.phase = .following }
            state.status.record(progress)
            return state.removeWaiters { $0 <= request }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Records a failure; the next attempt follows after ``pause``.
    private func fail(_ error: any Error) {
        // Also while the connections are suspended.
        guard !(error is CancellationError) else { return }
        let failure =
            error as? StrongroomError
            ?? StrongroomError(.objectStoreUnreachable, "The object store failed: \(error). It is tried again.")
        let waiters = state.withLock { state in
            if state.status.phase != .lost, !state.isSuspended { state.status.phase = .failing }
            state.status.failure = failure
            state.failures += 1
            return failure.needsHelp ? state.removeWaiters { _ in true } : []
        }
        for waiter in waiters { waiter.resume(throwing: failure) }
    }

    /// The time until the next iteration.
    var pause: Duration {
        let failures = state.withLock { $0.failures }
        guard failures > 0 else { return max(replica.interval, .milliseconds(1)) }
        return Self.firstPause * (1 << min(failures - 1, Self.mostDoublings))
    }

    private static let firstPause = Duration.milliseconds(250)
    private static let mostDoublings = 7

    /// Another store writes the replica: what this one commits would be lost with its host, so it refuses writes.
    func lose(_ store: Store, _ error: StrongroomError) {
        let waiters = state.withLock { state in
            store.refuseWrites(error)
            state.status.phase = .lost
            state.status.failure = error
            return state.removeWaiters { _ in true }
        }
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    private func end() async -> Bool {
        await shipper.end()
        reading.close()
        let waiters = state.withLock { state in
            if state.status.phase != .lost { state.status.phase = .ended }
            return state.removeWaiters { _ in true }
        }
        for waiter in waiters { waiter.resume(throwing: ended) }
        return false
    }
}

extension Replication.State {
    /// Removes the waiters of some requests.
    mutating func removeWaiters(_ isChosen: (Int) -> Bool) -> [CheckedContinuation<Void, any Error>] {
        let chosen = waiters.filter { isChosen($0.request) }
        waiters.removeAll { isChosen($0.request) }
        return chosen.map(\.continuation)
    }
}

extension StrongroomError {
    /// Whether no later attempt of this store can succeed.
    var isFinal: Bool { code == .notOwner || code == .otherReplica }

    /// Whether no later attempt succeeds before a change outside the program, such as to a damaged file, a missing
    /// replica, or the space, the permissions or the limits of this host; those who wait get the error.
    var needsHelp: Bool {
        [.damaged, .replicaMissing, .diskFull, .permissionDenied, .tooManyOpenFiles, .unsafeFile].contains(code)
    }
}
