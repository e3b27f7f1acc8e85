import Logging

extension StoreContext {
    /// Runs a plan, after a backup if the settings say so, and reports it to the logger.
    ///
    /// - Parameters:
    ///   - migrator: The migrator that made the plan.
    ///   - key: The file's key, in which the inner nil means plaintext; nil if no backup is to be made, as for a file
    ///     that is being created.
    func carryOut(
        _ plan: Migrator.Plan, of migrator: Migrator, on connection: Connection, key: DerivedKey??, _ run: MigrationRun
    ) throws -> MigrationReport {
        warn(of: plan)
        var backup: String?
        if let key, case .newest(let count) = settings.migrationBackups, plan.hasWork {
            var monitor = WorkMonitor()
            monitor.isCancelled = { [cancellation = connection.cancellation] in
                cancellation.isSet || run.stop?.isSet == true
            }
            backup = try MigrationBackups(file: file).add(connection, key, version: plan.from, keep: count, monitor)
        }
        var report = try migrator.carryOut(plan, on: connection, run)
        report.backupPath = backup
        log(report)
        return report
    }

    /// Warns about migrations whose statements differ from those that the file was migrated with.
    func warn(of plan: Migrator.Plan) {
        guard !plan.changed.isEmpty else { return }
        logger?.warning(
            "migrations changed after the file had been through them",
            metadata: ["versions": .array(plan.changed.map { .string($0) })])
    }

    private func log(_ report: MigrationReport) {
        if report.danglingRowCount > 0 {
            let named = report.danglingRows.prefix(10).map { row in
                "\(row.table)\(row.rowID.map { " \($0)" } ?? "") to \(row.parentTable)"
            }
            logger?.warning(
                "foreign keys have referenced no row since before the migration; PRAGMA foreign_key_check lists them",
                metadata: [
                    "count": .stringConvertible(report.danglingRowCount),
                    "rows": .array(named.map { .string($0) }),
                ])
        }
        // For a created file, the opening reports it.
        for step in report.steps where report.from != nil {
            logger?.info(
                report.undone.isEmpty ? "migrated" : "gone back",
                metadata: [
                    "version": .string(step.version),
                    "milliseconds": .stringConvertible(step.duration.fineMilliseconds),
                    "rows": .stringConvertible(step.rows),
                ])
        }
    }
}
