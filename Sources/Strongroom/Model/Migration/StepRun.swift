extension Migrator {
    func carryOut(
        _ plan: MigrationPlan, on connection: Connection, _ run: MigrationRun = MigrationRun()
    ) throws -> MigrationReport {
        var run = run
        if let progress { run.progress.append(progress) }
        var report = MigrationReport(
            from: plan.from, to: plan.to, applied: plan.applies, undone: plan.undoes, changed: plan.changed,
            schemaChanges: plan.schemaChanges)
        if plan.isOfNewFile {
            try create(on: connection, run)
        } else if isAutomatic {
            report.steps = try adapt(plan.changes, on: connection, run)
        } else {
            let isUndoing = !plan.undoes.isEmpty
            let versions = isUndoing ? plan.undoes : plan.applies
            report.steps = try runSteps(versions.compactMap(index(of:)), isUndoing: isUndoing, on: connection, run)
        }
        return report
    }

    private func create(on connection: Connection, _ run: MigrationRun) throws {
        let (newest, tables) = (newestVersion ?? "", tables ?? [])
        _ = try StepRun(version: newest, connection: connection, run: run).carryOut { db in
            for table in tables { try db.createTable(table) }
        } record: { history, duration, _ in
            try history.record(newest, duration: duration, created: true, fingerprint: nil)
        }
    }

    private func runSteps(
        _ indices: [Int], isUndoing: Bool, on connection: Connection, _ run: MigrationRun
    ) throws -> [MigrationReport.Step] {
        var steps: [MigrationReport.Step] = []
        for (number, index) in indices.enumerated() {
            let version = migrations[index].version
            guard let body = isUndoing ? migrations[index].down : migrations[index].up else { break }
            let step = StepRun(
                version: version, isUndoing: isUndoing, number: number + 1, count: indices.count,
                connection: connection, run: run, previous: steps.last)
            steps.append(
                try step.carryOut(body) { history, duration, fingerprint in
                    guard isUndoing else {
                        return try history.record(
                            version, duration: duration, created: false, fingerprint: fingerprint)
                    }
                    try history.remove(version, leaving: migrations[index - 1].version, duration: duration)
                })
        }
        return steps
    }
}

/// Runs one step and updates the version history, in one transaction.
struct StepRun {
    let version: String
    var isUndoing = false
    /// Counted from 1.
    var number = 1
    var count = 1
    let connection: Connection
    let run: MigrationRun
    var previous: MigrationReport.Step?

    /// - Parameter record: Updates the version history; called with the duration of the step and its fingerprint. Nil
    ///   for a file without a history.
    func carryOut(
        _ body: Migration.Step, record: ((VersionHistory, Duration, String?) throws -> Void)? = nil
    ) throws -> MigrationReport.Step {
        do {
            run.report(progress(0, 0))
            let start = ContinuousClock.now
            let before = connection.totalChanges
            let (dangling, end) = try transact(body, record)
            // No caller waits between the steps, and the next one may write as much again.
            if connection.isCheckpointDue { connection.checkpointIfDue() }
            var step = MigrationReport.Step(
                version: version, duration: ContinuousClock.now - start, rows: connection.totalChanges - before)
            step.danglingRowCount = dangling.oldCount
            step.danglingRows = dangling.old.map {
                MigrationReport.DanglingRow(table: $0.table, rowID: $0.rowID, parentTable: $0.parent)
            }
            if dangling.oldCount == 0, dangling.isComplete { step.intactAtDataVersion = end }
            return step
        } catch {
            throw described(error)
        }
    }

    private func transact(
        _ body: Migration.Step, _ record: ((VersionHistory, Duration, String?) throws -> Void)?
    ) throws -> (DanglingComparison, dataVersion: SQLValue?) {
        // If foreign keys were enforced, rebuilding a table would delete the rows that reference it, since dropping the
        // old table counts as deleting its rows. All foreign keys are checked before the commit and compared with their
        // state before the step.
        try connection.withoutForeignKeys {
            try connection.inTransaction(.immediate) {
                let start = ContinuousClock.now
                let recorder = StatementRecorder()
                let dangling = try run.interruptible(connection) {
                    let before = try DanglingRows(connection, isIntact: try isKnownIntact())
                    try connection.recording(recorder) {
                        try body(
                            MigrationTransaction(connection, isDryRun: run.isDryRun) {
                                run.report(progress($0, $1))
                            })
                    }
                    // The step may have ignored that the engine rolled the transaction back; its version would then be
                    // committed without its changes.
                    try connection.checkTransaction()
                    // Rows that were dangling before are not caused by the step.
                    let after = try DanglingComparison(since: before, connection)
                    try after.refuseNew()
                    return after
                }
                // Before the commit: later writes of others are not checked.
                let dataVersion = try connection.ownValue("PRAGMA data_version")
                guard let record else { return (dangling, dataVersion) }
                let history = VersionHistory(connection: connection)
                try history.create()
                try record(history, ContinuousClock.now - start, recorder.fingerprint)
                return (dangling, dataVersion)
            }
        }
    }

    /// Whether the step before found that every foreign key references a row, and no other connection has written
    /// since.
    private func isKnownIntact() throws -> Bool {
        guard let version = previous?.intactAtDataVersion else { return false }
        return try connection.ownValue("PRAGMA data_version") == version
    }

    private func progress(_ done: Int, _ total: Int) -> WorkProgress {
        let step = WorkProgress.Step(version: version, number: number, count: count)
        return WorkProgress(.migrating, done, of: total, .ofStep, step: step)
    }

    // MARK: Errors

    private func described(_ error: any Error) -> any Error {
        guard let failure = error as? StrongroomError else {
            return error is CancellationError ? error : self.failure("It threw \(type(of: error)).", nil, error)
        }
        // SQLITE_INTERRUPT; the caller that interrupted the statement knows the reason.
        if failure.code == .interrupted { return run.stop == nil ? failure : CancellationError() }
        return self.failure("\(failure.code): \(failure.message)", failure, failure)
    }

    private func failure(_ reason: String, _ cause: StrongroomError?, _ underlying: any Error) -> StrongroomError {
        // What the engine rolled back, the step has provoked and overlooked.
        let isOfMigration =
            cause.map { ![.system, .contention, .damage].contains($0.family) || $0.code == .transactionEnded } ?? true
        let advice = isOfMigration ? "Correct the migration, then" : "Then"
        let message =
            if version == Migrator.automaticVersion {
                """
                The tables could not be changed to their declarations, and all of them are as they were. \(reason) \
                Correct the declaration or the rows, then open the store again.
                """
            } else if isUndoing {
                """
                Going back from "\(version)" failed and was rolled back; the file is at that version. \(reason) \
                \(advice) try again.
                """
            } else {
                """
                Migration "\(version)" failed and was rolled back; the file is at the version before it, or was not \
                created if it was to be new. \(reason) \(advice) open the store again.
                """
            }
        var failure = StrongroomError(
            .migrationFailed, message, database: connection.database, sql: cause?.sql, resultCode: cause?.resultCode)
        failure.constraint = cause?.constraint
        failure.mismatch = cause?.mismatch
        failure.underlying = underlying
        return failure
    }
}

/// The progress callbacks and the cancellation of a run of steps.
struct MigrationRun: Sendable {
    var progress: [WorkMonitor.Progress] = []
    /// Cancels the steps; nil if the caller that provides the connection interrupts it.
    var stop: CancellationFlag?
    var isDryRun = false

    func report(_ progress: WorkProgress) {
        for each in self.progress { each(progress) }
    }

    /// Runs work on a connection, which is interrupted when the steps are cancelled.
    func interruptible<T>(_ connection: Connection, _ work: () throws -> T) throws -> T {
        guard let stop else { return try work() }
        connection.beginWork(.unshared)
        defer { connection.beginWork(.unshared) }
        return try stop.stopping(with: { connection.interrupt(.unshared) }, work)
    }
}
