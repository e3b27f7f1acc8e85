import Logging

/// The steps that migrate the schema to the program's version.
extension StoreOpening {
    /// Runs the migration, if it is to run at an opening.
    ///
    /// - Parameter key: As for ``StoreContext/carryOut(_:of:on:key:_:)``.
    mutating func migrate(_ connection: Connection, _ plan: MigrationPlan?, key: DerivedKey??) throws {
        guard let plan, let migrator = context.migrator else { return }
        let isNew = report.outcome == .created
        let isDue = isNew || !context.isReadOnly && context.settings.migration == .onOpen
        guard isDue else { return context.warn(of: plan) }
        let start = ContinuousClock.now
        defer { report.migrationDuration = ContinuousClock.now - start }
        let watch = plan.hasWork && !isNew ? watch?.part(.migrate, since: start) : nil
        do {
            report.migration = try context.carryOut(
                plan, of: migrator, on: connection, key: key, MigrationRun(stop: stop))
            watch?.end(nil)
        } catch {
            watch?.end(error)
            throw error
        }
    }

    /// Indexes anew what the engine cannot keep correct. Without a tokenizer of the program that wrote the index, as in
    /// another program, the words stay as they are, and ``Store/verify(checkingStructure:progress:)`` names the index.
    func rebuildFullText(_ connection: Connection, _ rebuild: (Connection) throws -> [String]) throws {
        guard report.outcome == .opened, context.mayChangeFile else { return }
        do {
            let names = try rebuild(connection)
            guard !names.isEmpty else { return }
            context.logger?.info(
                "full-text indexes rebuilt, which had words of deleted or changed rows, or invalid lengths",
                metadata: ["indexes": .array(names.map { .string($0) })])
        } catch let error as StrongroomError
            where [.missingFunction, .notSupported, .newerSchema].contains(error.code)
        {
            context.logger?.warning(
                "full-text indexes may have words of deleted or changed rows, or invalid lengths; rebuild them",
                metadata: ["reason": "\(error.message)"])
        }
    }

    /// Records the database's name in a file that has none yet, as one of an earlier version, unless the file is not
    /// changed by an opening.
    func recordName(_ connection: Connection, _ recorded: String?) throws {
        guard recorded == nil, context.migrator != nil, context.mayChangeFile else { return }
        guard report.outcome == .created || context.settings.migration == .onOpen else { return }
        do {
            try connection.recordName(context.name.fileName)
        } catch let error as StrongroomError where report.outcome == .opened {
            // The next opening tries again.
            context.logger?.warning("name not recorded", metadata: ["reason": .string(error.message)])
        }
    }
}

extension StoreContext {
    /// Runs a plan, after a backup if the settings say so, and reports it to the logger.
    ///
    /// - Parameters:
    ///   - migrator: The migrator that made the plan.
    ///   - key: The file's key, in which the inner nil means plaintext; nil if no backup is to be made, as for a file
    ///     that is being created.
    func carryOut(
        _ plan: MigrationPlan, of migrator: Migrator, on connection: Connection, key: DerivedKey??, _ run: MigrationRun
    ) throws -> MigrationReport {
        warn(of: plan)
        var backup: String?
        if let key, case .newest(let count) = settings.migrationBackups, plan.hasWork {
            var monitor = WorkMonitor()
            monitor.isCancelled = { [cancellation = connection.cancellation] in
                cancellation.isSet || run.stop?.isSet == true
            }
            backup = try file.addMigrationBackup(connection, key, version: plan.from, keep: count, monitor)
        }
        var report = try migrator.carryOut(plan, on: connection, run)
        report.backupPath = backup
        log(report)
        return report
    }

    /// Warns about migrations whose statements differ from those that the file was migrated with.
    func warn(of plan: MigrationPlan) {
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
