/// Who is told how far a rotation has come, and may cancel it.
struct RotationWatcher: Sendable {
    var progress: @Sendable (RotationProgress) -> Void = { _ in }
    var isCancelled: @Sendable () -> Bool = { false }

    /// - Throws: `CancellationError` when it is cancelled.
    func tell(_ phase: RotationProgress.Phase, _ done: Int64, _ total: Int64) throws {
        if isCancelled() { throw CancellationError() }
        progress(RotationProgress(phase: phase, done: done, total: total))
    }
}
