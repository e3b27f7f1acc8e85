/// Runs one task on a thread of its own, which may block, and which it leaves when it is suspended or done.
///
/// It is not one of Swift's cooperative threads: callers that block these until the task has ended might leave none for
/// it.
final class TaskThread: TaskExecutor {
    private struct State {
        var jobs = FIFOQueue<UnownedJob>()
        var hasThread = false
        var isFinished = false
    }

    private let name: String
    private let state = Locked(State())

    /// - Parameter name: The thread's name meanwhile, at most 15 bytes.
    init(_ name: String) { self.name = name }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if isFirst { ThreadPool.shared.run(name) { [self] in runJobs() } }
    }

    private func runJobs() {
        while let job = nextJob() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            // The task is suspended, and may continue on another thread.
            if !state.withLock({ $0.isFinished }) { DedicatedThread.end() }
        }
    }

    /// Frees the engine's state of the thread before the end of the task is reported; to be called on its thread.
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
