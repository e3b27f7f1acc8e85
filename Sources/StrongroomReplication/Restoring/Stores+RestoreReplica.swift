public import Foundation
public import Strongroom

/// What was restored from a replica.
public struct ReplicaRestoreReport: Sendable {
    /// The number of the change that the state ends with.
    public let change: UInt64
    /// When the state was shipped, by the clock of the host that shipped it.
    public let time: Date
    /// What the checks have found in the file.
    public let file: BackupReport
}

extension Stores {
    /// Replaces a database with a state of its replica, or creates it from one.
    ///
    /// The objects are read and checked, and written to a file beside the database. It is opened with a key of the
    /// chain, and verified: every page's authentication code, and the structure. Then it replaces the database
    /// atomically. The replica is only read, so that a running original is not disturbed.
    /// A restore that is interrupted is resumed by the next one; until then its pages stay beside the database.
    ///
    /// ```swift
    /// let report = try await stores.restore("clinic_a.sqlite", from: replica, to: .time(yesterday))
    /// print(report.time, report.file.rows)
    /// ```
    ///
    /// On the host that has written the replica, the next store goes on with it: the restored state becomes a further
    /// change, and every older state stays. On another host a store refuses to write the replica, unless
    /// ``Replica/takesOver`` is set; see ``takeOver(_:progress:)``.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its store must not be in use. A lent one that is idle is closed, and requests
    ///     for it wait.
    ///   - replica: The replica; nil for the one that the configuration lists.
    ///   - point: The state.
    ///   - previousName: The name of the other database that the replica is of, which becomes this one; nil if it
    ///     must be of this database. The replica's folder is that of the other one.
    ///   - progress: Called with `writing`, in bytes of objects, and then as for a backup; must not block.
    /// - Returns: What was restored.
    /// - Throws: `StrongroomError` with `notDeclared` if there is none, `replicaMissing`, `replicaIncomplete`,
    ///   `replicaDamaged`, `newerReplica`, `otherDatabase` for the replica of another database, what the object store
    ///   throws; as `restore(_:from:)`. The database is unchanged then.
    @discardableResult
    public func restore(
        _ fileName: String, from replica: Replica? = nil, to point: RestorePoint,
        adoptingFrom previousName: String? = nil, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ReplicaRestoreReport {
        let name = try DatabaseName(fileName)
        guard let replica = try replica ?? configuredReplica(of: name) else { throw Self.noReplica(name) }
        let adopted = try previousName.map { try DatabaseName($0) }
        let plan = try await RestorePlan(replica.folder(of: adopted ?? name), to: point)
        let report = try await restoreReplica(
            fileName, adoptingFrom: adopted, progress: progress,
            fill: { file in
                try await RestoreWork(plan: plan, file: file, progress: progress).run()
            })
        return ReplicaRestoreReport(change: plan.number, time: plan.time, file: report)
    }

    /// The replica that the configuration of a database lists; nil if it lists none.
    func configuredReplica(of name: DatabaseName) throws -> Replica? {
        try extensions(of: name).lazy.compactMap { $0 as? Replica }.first
    }

    static func noReplica(_ name: DatabaseName) -> StrongroomError {
        StrongroomError(
            .notDeclared,
            """
            The configuration of "\(name)" lists no replica. Give one, or list it in `extensions(for:)`.
            """,
            database: name.fileName)
    }
}
