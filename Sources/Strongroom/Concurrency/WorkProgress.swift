/// How far long work has come: a migration, a rotation, a backup or its restore, a plaintext export, a verification or
/// diagnosis, a salvage.
///
/// ```swift
/// let report = try await store.rotate { progress in
///     print("\(progress.phase): \(progress.done) of \(progress.total) \(progress.unit)")
/// }
/// ```
///
/// Which phases there are, and in which unit they are counted, the documentation of each operation says.
public struct WorkProgress: Sendable, Hashable {
    /// What is being done.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Waits for those who use the file.
        case waiting
        /// Checks the authentication codes of the file's pages.
        case checking
        /// Lets the engine check whether tables and indexes fit together, of which it tells no progress.
        case checkingStructure
        /// Runs the steps of a migration.
        case migrating
        /// Writes the new file, or the file anew. A rotation in place cannot be cancelled any more from here on.
        case writing
        /// Reads what was written and compares.
        case verifying
    }

    /// What is counted.
    public enum Unit: String, Sendable, Hashable, CaseIterable {
        case bytes, pages, tables
        /// What a step of a migration counts by itself; see ``MigrationTransaction/report(_:of:)``.
        case ofStep
    }

    /// A step of a migration.
    public struct Step: Sendable, Hashable {
        /// The version to which, or from which, the step leads.
        public let version: String
        /// Which of the steps it is, counted from 1.
        public let number: Int
        /// How many steps there are to run.
        public let count: Int
    }

    /// What is being done.
    public let phase: Phase
    /// How much of the phase is done, or of the step of a migration, as it tells itself.
    public let done: Int64
    /// How much there is to do in the phase or step; 0 when that is not known.
    public let total: Int64
    /// What ``done`` and ``total`` count.
    public let unit: Unit
    /// The step that runs; nil where nothing is migrated.
    public let step: Step?

    init(
        _ phase: Phase, _ done: some BinaryInteger, of total: some BinaryInteger, _ unit: Unit, step: Step? = nil
    ) {
        self.phase = phase
        self.done = Int64(clamping: done)
        self.total = Int64(clamping: total)
        self.unit = unit
        self.step = step
    }
}
