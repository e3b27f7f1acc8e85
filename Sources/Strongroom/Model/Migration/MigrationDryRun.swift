/// The outcome of a migration of a copy of a file.
public struct MigrationDryRun: Sendable, Equatable {
    /// The report of the run on the copy; ``MigrationReport/steps`` contains the duration and the number of changed
    /// rows of each step.
    public let report: MigrationReport
    /// Descriptions of the schema changes, such as `table "contact": column "phone" added`.
    public let schemaChanges: [String]
    /// The duration of making the copy.
    public let copying: Duration
}

extension Migrator {
    /// Migrates a copy.
    func dryRun(
        to version: String?, on connection: Connection, copying: Duration, _ run: MigrationRun
    ) throws -> MigrationDryRun {
        let plan = try plan(for: connection, to: version)
        let before = try connection.inSnapshot { try SchemaImage(connection) }
        let report = try carryOut(plan, on: connection, run)
        let after = try connection.inSnapshot { try SchemaImage(connection) }
        return MigrationDryRun(report: report, schemaChanges: before.changes(to: after), copying: copying)
    }
}
