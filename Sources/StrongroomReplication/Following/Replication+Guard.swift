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
        releaseLongLog(store)
        return true
    }

    /// Lets the WAL go when it has grown by the limit. The loop then compares the replica with the file.
    private func releaseLongLog(_ store: Store) {
        guard let length = store.logLength() else { return }
        // The engine shortens the file only at a later commit.
        let isLong = state.withLock { state in
            if length < state.releasedLength { state.releasedLength = 0 }
            guard length > state.releasedLength + Int64(replica.logLimit) else { return false }
            state.releasedLength = length
            return true
        }
        guard isLong else { return }
        reading.closeSoon()
        shipper.suspend()
    }

    /// Prolongs the lease when a third of it has passed. Once it has ended, another host may have taken over, so that
    /// the store refuses writes until it is prolonged.
    private func prolongLease(_ store: Store) async throws {
        guard let leases, let end = state.withLock({ $0.leaseEnd }) else { return }
        guard end - .now < leases.lease.duration * 2 / 3 else { return }
        let expiry = Task { [weak self, weak store] in
            try await Task.sleep(until: end)
            guard let self, let store else { return }
            refuse(store, if: end)
        }
        defer { expiry.cancel() }
        let newEnd = try await leases.acquire()
        let isKept = state.withLock { state in
            // The store may have been lost, or closed, meanwhile.
            guard state.leaseEnd != nil, state.status.phase != .lost else { return false }
            state.leaseEnd = newEnd
            store.acceptWrites()
            return true
        }
        if !isKept, state.withLock({ $0.status.phase }) != .lost { try await leases.release() }
    }

    /// Refuses writes if the lease has not been prolonged.
    private func refuse(_ store: Store, if end: ContinuousClock.Instant) {
        state.withLock { state in
            if state.leaseEnd == end { store.refuseWrites(expired) }
        }
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
