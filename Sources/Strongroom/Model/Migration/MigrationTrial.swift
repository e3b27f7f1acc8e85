/// What a migration did to a copy of a file.
public struct MigrationTrial: Sendable, Equatable {
    /// What ran on the copy; ``MigrationReport/steps`` tells how long each took and how many rows it touched.
    public let report: MigrationReport
    /// What the migration changed in the schema, in words such as `table "contact": column "phone" added`.
    public let schemaChanges: [String]
    /// How long making the copy took.
    public let copying: Duration
}

extension Migrator {
    /// Migrates a copy.
    func tried(
        to version: String?, on connection: Connection, copying: Duration, _ run: MigrationRun
    ) throws -> MigrationTrial {
        let plan = try plan(for: connection, to: version)
        let before = try connection.inSnapshot { try SchemaImage(connection) }
        let report = try carryOut(plan, on: connection, run)
        let after = try connection.inSnapshot { try SchemaImage(connection) }
        return MigrationTrial(report: report, schemaChanges: before.changes(to: after), copying: copying)
    }
}
