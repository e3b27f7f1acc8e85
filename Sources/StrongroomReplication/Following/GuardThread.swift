import Dispatch
import Strongroom

/// A thread of its own for what must not wait until one of Swift's cooperative threads is free, which blocking or
/// computing tasks may occupy all.
final class GuardThread: TaskExecutor {
    private struct State {
        var timer: (any DispatchSourceTimer)?
        var running: Task<Void, Never>?
    }

    private let queue = DispatchQueue(label: "strongroom.replication.guard")
    private let state = Locked(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs work again and again until it returns false.
    ///
    /// - Parameter interval: The time between two beginnings; work that takes longer is not begun a second time.
    func run(every interval: Duration, _ work: @escaping @Sendable () async -> Bool) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let milliseconds = Int(clamping: interval.milliseconds)
        timer.schedule(deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds))
        timer.setEventHandler { [self] in begin(work) }
        state.withLock { $0.timer = timer }
        timer.resume()
    }

    private func begin(_ work: @escaping @Sendable () async -> Bool) {
        state.withLock { state in
            guard state.timer != nil, state.running == nil else { return }
            state.running = Task(executorPreference: self) { [self] in
                let continues = await work()
                self.state.withLock { $0.running = nil }
                if !continues { end() }
            }
        }
    }

    /// Begins no further work, and cancels what runs.
    func end() {
        let (timer, running) = state.withLock { ($0.timer.take(), $0.running.take()) }
        timer?.cancel()
        running?.cancel()
    }
}
