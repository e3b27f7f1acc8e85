/// The transaction of a migration.
public struct MigrationTransaction: Writing, ~Copyable {
    /// The underlying transaction.
    public let _handle: _TransactionHandle

    /// Whether the result of the step is discarded: it runs on an empty in-memory database to determine its statements
    /// (see ``ChangedMigrations``), or on a copy, for ``Store/dryRun(to:progress:)``.
    ///
    /// A step that has effects outside its database, such as importing and removing a file, must omit them in this
    /// case. A step that reads this property has no fingerprint, since it may run other statements otherwise.
    public var isDryRun: Bool {
        _handle.connection.recorder?.isIncomparable = true
        return isThrownAway
    }

    private let isThrownAway: Bool
    private let reportProgress: (Int, Int) -> Void

    init(_ connection: Connection, isDryRun: Bool = false, reportProgress: @escaping (Int, Int) -> Void = { _, _ in }) {
        _handle = _TransactionHandle(connection)
        isThrownAway = isDryRun
        self.reportProgress = reportProgress
    }

    /// Reports the progress of a long step, and ends the step if it has been cancelled.
    ///
    /// ```swift
    /// Migration("3") { db in
    ///     for (index, id) in ids.enumerated() {
    ///         try fillIn(id, db)
    ///         if index.isMultiple(of: 1_000) { try db.report(index, of: ids.count) }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - done: The completed units.
    ///   - total: The total units; 0 if unknown.
    /// - Throws: `CancellationError` if the task that waits for the migration is cancelled; rethrow it to roll the step
    ///   back.
    public func report(_ done: Int, of total: Int) throws {
        try _handle.connection.checkTransaction()
        reportProgress(done, total)
    }
}
