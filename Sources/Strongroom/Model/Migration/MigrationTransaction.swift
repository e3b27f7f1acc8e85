/// The transaction of a migration.
public struct MigrationTransaction: Writing, ~Copyable {
    /// What the transaction works on.
    public let handle: TransactionHandle

    /// Whether what the step does is thrown away: it runs on an empty database in memory, so that its statements are
    /// known (see ``ChangedMigrations``), or on a copy, for ``Store/dryRun(to:progress:)``.
    ///
    /// A step that changes anything besides its database, such as a file that it imports and then removes, leaves that
    /// out here. A step that asks has no fingerprint, since it may do otherwise in earnest.
    public var isRehearsal: Bool {
        handle.connection.recorder?.isIncomparable = true
        return isThrownAway
    }

    private let isThrownAway: Bool
    private let tell: (Int, Int) -> Void

    init(_ connection: Connection, isRehearsal: Bool = false, tell: @escaping (Int, Int) -> Void = { _, _ in }) {
        handle = TransactionHandle(connection)
        isThrownAway = isRehearsal
        self.tell = tell
    }

    /// Tells how far a long step has come, and ends it when nobody waits for it any more.
    ///
    /// ```swift
    /// Migration("3") { db in
    ///     for (place, id) in ids.enumerated() {
    ///         try fillIn(id, db)
    ///         if place.isMultiple(of: 1_000) { try db.report(place, of: ids.count) }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - done: How much is done, in whatever unit.
    ///   - total: How much there is to do, in the same unit; 0 when that is not known.
    /// - Throws: `CancellationError` when the task that waits for the migration is cancelled; let it through, and the
    ///   step is undone.
    public func report(_ done: Int, of total: Int) throws {
        try handle.connection.checkTransaction()
        tell(done, total)
    }
}
