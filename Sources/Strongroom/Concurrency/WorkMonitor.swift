import Synchronization

/// The progress and the cancellation of one long operation.
struct WorkMonitor: Sendable {
    typealias Progress = @Sendable (WorkProgress) -> Void

    let progress: Progress
    let cancellation: CancellationFlag
    var isCancelled: @Sendable () -> Bool

    init(_ progress: @escaping Progress = { _ in }, _ cancellation: CancellationFlag = CancellationFlag()) {
        self.progress = progress
        self.cancellation = cancellation
        isCancelled = { cancellation.isSet }
    }

    /// The same progress, for work that can no longer be cancelled.
    var withoutCancellation: WorkMonitor { WorkMonitor(progress) }

    func check() throws {
        if isCancelled() { throw CancellationError() }
    }

    func report(
        _ phase: WorkProgress.Phase, _ done: some BinaryInteger, of total: some BinaryInteger,
        _ unit: WorkProgress.Unit = .bytes
    ) throws {
        try check()
        progress(WorkProgress(phase, done, of: total, unit))
    }

    /// Runs blocking work of a task on a thread of its own; cancelling the task cancels the work.
    static func run<T: Sendable>(
        _ progress: @escaping Progress = { _ in }, _ work: @escaping @Sendable (WorkMonitor) throws -> T
    ) async throws -> T {
        let monitor = WorkMonitor(progress)
        return try await monitor.cancellation.running { try work(monitor) }
    }
}

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

/// A flag, set from any thread, that cancels work.
final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)
    private let handler = Locked<(@Sendable () -> Void)?>(nil)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
        // Inside the lock: what the handler interrupts may be deallocated as soon as its work is done.
        handler.withLock { $0?() }
    }

    /// - Returns: Whether the flag was set.
    @discardableResult
    func clear() -> Bool { value.exchange(false, ordering: .relaxed) }

    func check() throws {
        if isSet { throw CancellationError() }
    }

    /// Runs work that a handler interrupts if the flag is set meanwhile; does not begin it if the flag is set already.
    func stopping<T>(with handler: @escaping @Sendable () -> Void, _ work: () throws -> T) throws -> T {
        try self.handler.withLock { current in
            try check()
            current = handler
        }
        defer { self.handler.withLock { $0 = nil } }
        return try work()
    }

    /// Runs blocking work of a task on a thread of its own; cancelling the task sets the flag.
    func running<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withTaskCancellationHandler {
            try await BlockingWork.run(work)
        } onCancel: {
            set()
        }
    }
}
