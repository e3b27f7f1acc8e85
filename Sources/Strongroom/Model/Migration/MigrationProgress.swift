/// The progress of a migration.
public struct MigrationProgress: Sendable, Equatable {
    /// The version of the current step.
    public let version: String
    /// The number of the current step, counted from 1.
    public let step: Int
    /// The number of steps to run.
    public let steps: Int
    /// The completed units of the step, as it reports them; 0 at its start.
    public let done: Int
    /// The total units of the step, as it reports them; 0 before its first report.
    public let total: Int
}
