import Strongroom

/// What a migration did, or would do, for scripts.
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
    /// Versions whose statements are others than those that the file went through.
    let changed: [String]
    let schemaChanges: [String]
    let steps: [Step]
    /// Where the copy from before lies.
    let snapshot: String?

    init(_ report: MigrationReport) {
        self.init(report, report.schemaChanges)
    }

    init(_ trial: MigrationTrial) {
        self.init(trial.report, trial.schemaChanges)
    }

    private init(_ report: MigrationReport, _ changes: [String]) {
        from = report.from
        to = report.to
        applied = report.applied
        undone = report.undone
        changed = report.changed
        schemaChanges = changes
        snapshot = report.snapshot
        steps = report.steps.map {
            Step(version: $0.version, milliseconds: $0.duration.milliseconds, rows: $0.rows)
        }
    }
}
