/// The steps that migrate the schema to the program's version.
extension StoreOpening {
    /// The plan of the migration; nil if none is needed, as for a file that was just created.
    func planMigration(_ connection: Connection, _ report: OpenReport) throws -> Migrator.Plan? {
        guard report.migration == nil else { return nil }
        return try context.migrator?.plan(for: connection)
    }

    /// Runs the migration, if it is to run at an opening.
    ///
    /// - Parameter unlocked: The file to back up first; nil for one that is being created.
    func migrate(
        _ connection: Connection, _ plan: Migrator.Plan?, _ unlocked: UnlockedFile?, _ report: inout OpenReport
    ) throws {
        guard let plan, let migrator = context.migrator else { return }
        let isNew = report.outcome == .created
        let isDue = isNew || !context.isReadOnly && context.settings.migration == .onOpen
        guard isDue else { return context.warn(of: plan) }
        let start = ContinuousClock.now
        defer { report.migrationDuration = ContinuousClock.now - start }
        let watch = plan.hasWork && !isNew ? observer?.watch(.migrate) : nil
        watch?.grant()
        do {
            report.migration = try context.carryOut(
                plan, of: migrator, on: connection, key: isNew ? nil : unlocked.map(\.derivedKey),
                MigrationRun(stop: stop))
            watch?.end(nil)
        } catch {
            watch?.end(error)
            throw error
        }
    }
}
