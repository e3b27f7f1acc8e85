/// The progress of a long operation: a migration, a rotation, a backup or its restore, a plaintext export, a
/// verification or diagnosis, a salvage.
///
/// ```swift
/// let report = try await store.rotate { progress in
///     print("\(progress.phase): \(progress.done) of \(progress.total) \(progress.unit)")
/// }
/// ```
///
/// The documentation of each operation lists its phases and the units in which they are counted.
public struct WorkProgress: Sendable, Hashable {
    /// A phase of an operation.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Waits for other users of the file.
        case waiting
        /// Checks the authentication codes of the file's pages.
        case checking
        /// Lets the engine check the consistency of tables and indexes, for which it reports no progress.
        case checkingStructure
        /// Runs the steps of a migration.
        case migrating
        /// Writes the new file, or rewrites the file. From here on a rotation in place can no longer be cancelled.
        case writing
        /// Reads what was written and compares it.
        case verifying
    }

    /// What is counted.
    public enum Unit: String, Sendable, Hashable, CaseIterable {
        case bytes, pages, tables
        /// The unit of a migration's step; see ``MigrationTransaction/report(_:of:)``.
        case ofStep
    }

    /// A step of a migration.
    public struct Step: Sendable, Hashable {
        /// The version that the step leads to, or from.
        public let version: String
        /// The step's number, counted from 1.
        public let number: Int
        /// The number of steps to run.
        public let count: Int
    }

    /// The current phase.
    public let phase: Phase
    /// How much of the phase is done, or of the step of a migration, as reported by the step.
    public let done: Int64
    /// The total of the phase or step; 0 if it is not known.
    public let total: Int64
    /// What ``done`` and ``total`` count.
    public let unit: Unit
    /// The running step; nil outside migrations.
    public let step: Step?

    package init(
        _ phase: Phase, _ done: some BinaryInteger, of total: some BinaryInteger, _ unit: Unit, step: Step? = nil
    ) {
        self.phase = phase
        self.done = Int64(clamping: done)
        self.total = Int64(clamping: total)
        self.unit = unit
        self.step = step
    }
}
