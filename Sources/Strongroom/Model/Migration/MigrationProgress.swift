/// How far a migration has come.
public struct MigrationProgress: Sendable, Equatable {
    /// The version whose step runs.
    public let version: String
    /// Which of the steps it is, counted from 1.
    public let step: Int
    /// How many steps there are to run.
    public let steps: Int
    /// How much of the step is done, as it tells itself; 0 when it begins.
    public let done: Int
    /// How much the step has to do, as it tells itself; 0 when it has not told.
    public let total: Int
}
