public import Strongroom

extension Stores {
    /// Takes over a database from a host that is gone: acquires its lease, restores the newest state of its replica,
    /// makes this host the replica's writer, and opens the database.
    ///
    /// When this returns, the previous host can ship nothing any more, and the store has everything that the replica
    /// ever had: each write that waited for the replica, and all others but those of the last moments. If the previous
    /// host is alive, its next write fails with `notOwner`.
    ///
    /// ```swift
    /// let store = try await stores.takeOver("clinic_a.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be in use. A lent one that is idle is closed, and requests
    ///     for it wait. A file that exists is replaced.
    ///   - progress: As for a restore.
    /// - Returns: The store.
    /// - Throws: `StrongroomError` with `notOwner` if another host has the lease; as `restore(_:from:to:)` and
    ///   `open(_:)`. If the claim or opening fails, the database is restored; try again.
    public func takeOver(
        _ fileName: String, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> Store {
        let name = try DatabaseName(fileName)
        guard let replica = try configuredReplica(of: name) else { throw Self.noReplica(name) }
        try await replica.objects.probe()
        let work: @Sendable () async throws -> Void = {
            try await self.restoreAndClaim(name, replica, progress)
        }
        if let leases = replica.leases(of: name) {
            let lease = try await leases.acquire()
            do {
                // A restore may take longer than a lease.
                try await leases.prolonging(while: work)
                return try await open(fileName)
            } catch {
                // Even if this one was cancelled.
                if lease.isNew { await Task { try? await leases.release() }.value }
                throw error
            }
        }
        try await work()
        return try await open(fileName)
    }

    /// Replaces the database with the newest state of its replica, and makes this host the writer.
    private func restoreAndClaim(
        _ name: DatabaseName, _ replica: Replica, _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws {
        let (folder, leases) = (replica.folder(of: name), replica.leases(of: name))
        let session = ObjectHeader.Identifier.random()
        for _ in 0..<Self.takeOverAttempts {
            let state = try await ReplicaState(of: folder)
            guard let identifier = state.replica, let form = state.form else {
                // Names what is missing.
                _ = try await RestorePlan(folder, to: .newest)
                throw folder.missing(folder.name)
            }
            let plan = try await RestorePlan(folder, to: .newest)
            do {
                _ = try await restoreReplica(name.fileName, progress: progress) { path in
                    // The record of the file that is replaced is not that of this one.
                    try ReplicaRecordFile(path(folder.recordName)).clear()
                } whenRestored: { path in
                    let record = try ReplicaRecordFile(path(folder.recordName))
                    try await record.confirm(identifier, state.number, state.digest)
                    // The previous host must not have it again, and write, when the claim is created.
                    _ = try await leases?.acquire()
                    var writer = ReplicaWriter(folder, identifier, session, state, record)
                    try await writer.claim(form)
                } fill: { file in
                    try await RestoreWork(plan: plan, file: file, progress: progress).run()
                }
                return
            } catch let error as StrongroomError where error.code == .notOwner {
                // The previous host has shipped a change meanwhile, which this one must have; or it has the lease.
                _ = try await leases?.acquire()
            }
        }
        throw StrongroomError(
            .notOwner,
            """
            Another host still writes the replica "\(folder.name)". Stop it, or give both hosts leases of different \
            owners; then try again.
            """,
            database: name.fileName)
    }

    /// Restores at most, while the previous host ships changes.
    private static let takeOverAttempts = 10
}
