import Strongroom

/// What must not wait for an iteration of the loop, which may wait for the object store for long.
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

    /// Acquires the lease of a store that is being opened, and waits for the first reading of the replica: a file that
    /// another host has taken over accepts no write.
    func beginWithLease(_ store: Store) async throws {
        guard let leases else { return }
        let lease = try await leases.acquire()
        try await ReplicaRecordFile(store.replicaRecordPath(folder.recordName)).probe(folder.objects)
        if !replica.takesOver { try await OwnerCheck.run(folder, of: store) }
        state.withLock { ($0.lease, $0.isWriter) = (lease, true) }
        store.allowWrites(until: lease.deadline, then: expired)
    }

    /// Prolongs the lease when a third of it has passed. Once it has ended, another host may have had it: the store
    /// accepts writes again only when the newest change is found to be its own.
    private func prolongLease(_ store: Store) async throws {
        guard let leases, let (lease, isWriter) = state.withLock({ state in state.lease.map { ($0, state.isWriter) } })
        else { return }
        let rest = lease.deadline.remaining
        guard !isWriter || rest < leases.lease.duration * 2 / 3 else { return }
        if rest <= .zero { state.withLock { $0.isWriter = false } }
        let next = try await leases.acquire(after: lease)
        // It may have ended meanwhile.
        if !isWriter || lease.deadline.remaining <= .zero {
            state.withLock { $0.isWriter = false }
            do {
                try await OwnerCheck.run(folder, of: store)
            } catch let error as StrongroomError where error.isFinal {
                // Who writes the replica now need not wait for its end.
                try? await leases.release(next)
                throw error
            }
        }
        let isKept = state.withLock { state in
            // The store may have been lost, or closed, meanwhile.
            guard state.lease != nil, state.status.phase != .lost else { return false }
            (state.lease, state.isWriter) = (next, true)
            store.allowWrites(until: next.deadline, then: expired)
            return true
        }
        if !isKept { try await leases.release(next) }
    }

    private var expired: StrongroomError {
        StrongroomError(
            .notOwner,
            """
            The lease of the replica "\(folder.name)" has ended, and the object store could not be reached to prolong \
            it, so another host may have taken over. Writes are accepted again when the lease is prolonged, and no \
            other host has written.
            """)
    }
}
