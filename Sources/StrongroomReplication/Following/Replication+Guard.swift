import Strongroom

/// What must not wait for a turn of the loop, which may wait for the object store for long.
extension Replication {
    /// Prolongs the lease, and lets the WAL go when it has become too long.
    ///
    /// - Returns: False if the store is gone, or the replica lost.
    func guardOnce() async -> Bool {
        guard let store = store.value, state.withLock({ $0.status.phase != .lost && $0.status.phase != .ended }) else {
            return false
        }
        do {
            try await prolongLease(store)
        } catch let error as StrongroomError where error.isFinal {
            lose(store, error)
            return false
        } catch {
            // The object store is tried again.
        }
        if let length = store.logLength(), length > Int64(replica.logLimit) {
            // The loop compares the replica with the file when it goes on.
            reading.close()
            shipper.suspend()
        }
        return true
    }

    /// Prolongs the lease when a third of it has passed. Once it has ended, another host may have taken over, so that
    /// the store refuses writes until it is prolonged.
    private func prolongLease(_ store: Store) async throws {
        guard let leases, let end = state.withLock({ $0.leaseEnd }) else { return }
        let now = ContinuousClock.now
        guard end - now < leases.lease.duration * 2 / 3 else { return }
        let expiry = Task { [weak store] in
            try await Task.sleep(until: end)
            store?.refuseWrites(expired)
        }
        defer { expiry.cancel() }
        if end <= now { store.refuseWrites(expired) }
        _ = try await leases.acquire()
        state.withLock { $0.leaseEnd = now + leases.lease.duration }
        store.acceptWrites()
    }

    private var expired: StrongroomError {
        StrongroomError(
            .notOwner,
            """
            The lease of the replica "\(folder.name)" has ended, and the object store could not be reached to prolong \
            it, so another host may have taken over. Writes are accepted again when the lease is prolonged.
            """)
    }
}
