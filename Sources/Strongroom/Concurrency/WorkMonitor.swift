/// The progress and the cancellation of one long operation.
struct WorkMonitor: Sendable {
    typealias Progress = @Sendable (WorkProgress) -> Void

    let progress: Progress
    /// Cancels the work.
    let cancellation: CancellationFlag
    var isCancelled: @Sendable () -> Bool

    init(_ progress: @escaping Progress = { _ in }, _ cancellation: CancellationFlag = CancellationFlag()) {
        self.progress = progress
        self.cancellation = cancellation
        isCancelled = { cancellation.isSet }
    }

    /// The same progress, for work that can no longer be cancelled.
    var withoutCancellation: WorkMonitor { WorkMonitor(progress) }

    /// - Throws: `CancellationError` if the work is cancelled.
    func check() throws {
        if isCancelled() { throw CancellationError() }
    }

    /// Reports progress.
    ///
    /// - Throws: `CancellationError` if the work is cancelled.
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
