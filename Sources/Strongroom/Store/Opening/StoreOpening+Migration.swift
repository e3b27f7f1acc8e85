/// The steps that bring the schema to the program's version.
extension StoreOpening {
    /// What is to be done to the schema; nil when it has been done, as to a file that was made.
    func planMigration(_ connection: Connection, _ report: OpenReport) throws -> Migrator.Plan? {
        guard report.migration == nil else { return nil }
        return try context.migrator?.plan(for: connection)
    }

    /// Does it, if it is to be done at an opening.
    ///
    /// - Parameter unlocked: The file that a snapshot is made of; nil for one that is being made.
    func migrate(
        _ connection: Connection, _ plan: Migrator.Plan?, _ unlocked: UnlockedFile?, _ report: inout OpenReport
    ) throws {
        guard let plan, let migrator = context.migrator else { return }
        let isNew = report.outcome == .created
        let isDue = isNew || !context.isReadOnly && context.settings.migration == .onOpen
        guard isDue else { return context.warn(of: plan) }
        let start = ContinuousClock.now
        defer { report.migrationDuration = ContinuousClock.now - start }
        report.migration = try context.carryOut(
            plan, of: migrator, on: connection, key: isNew ? nil : unlocked.map(\.derivedKey), MigrationRun(stop: stop))
    }
}
