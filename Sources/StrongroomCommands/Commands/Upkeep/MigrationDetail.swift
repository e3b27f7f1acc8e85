import Strongroom

/// The result or the plan of a migration, for JSON.
struct MigrationDetail: Encodable, Sendable {
    struct Step: Encodable, Sendable {
        let version: String
        let milliseconds: Double
        let rows: Int
    }

    let from: String?
    let to: String?
    let applied: [String]
    let undone: [String]
    /// The versions of the file whose statements have changed.
    let changed: [String]
    let schemaChanges: [String]
    let steps: [Step]
    /// The path of the backup from before the migration.
    let backupPath: String?

    init(_ report: MigrationReport) {
        self.init(report, report.schemaChanges)
    }

    init(_ trial: MigrationDryRun) {
        self.init(trial.report, trial.schemaChanges)
    }

    private init(_ report: MigrationReport, _ changes: [String]) {
        from = report.from
        to = report.to
        applied = report.applied
        undone = report.undone
        changed = report.changed
        schemaChanges = changes
        backupPath = report.backupPath
        steps = report.steps.map {
            Step(version: $0.version, milliseconds: $0.duration.milliseconds, rows: $0.rows)
        }
    }
}
