/// Runs an opening on a thread of its own, which may block, and which it leaves when it is suspended or done.
///
/// It is not one of Swift's cooperative threads: callers that block these until an opening has ended might leave none
/// for it.
final class OpeningExecutor: TaskExecutor {
    private struct State {
        var jobs = FIFOQueue<UnownedJob>()
        var hasThread = false
        var isFinished = false
    }

    private let state = Locked(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if isFirst { ThreadPool.shared.run(Self.threadName) { [self] in runJobs() } }
    }

    static let threadName = "strongroom.open"

    private func runJobs() {
        while let job = nextJob() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            // The opening is suspended, and may continue on another thread.
            if !state.withLock({ $0.isFinished }) { DedicatedThread.end() }
        }
    }

    /// Frees the engine's state of the thread before the end of the opening is reported; to be called on its thread.
    func finish() {
        DedicatedThread.end()
        state.withLock { $0.isFinished = true }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            let job = state.jobs.popFirst()
            state.hasThread = job != nil
            return job
        }
    }
}
