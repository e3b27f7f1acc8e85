import Dispatch
import Foundation

/// A thread for one seat, on which the work of tasks runs: blocking work must not run on Swift's cooperative threads.
///
/// The thread is made with the first job and ends with ``stop()``. It looks for another job before it sleeps.
final class SeatWorker: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isStarted = false
        var isStopped = false
    }

    private let name: String
    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)

    init(name: String) {
        self.name = name
    }

    /// Runs a job on the thread, after those before it.
    func post(_ job: @escaping Job) {
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if mustStart { start() }
        wake.signal()
    }

    /// Ends the thread once its jobs are done.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    private func start() {
        let thread = Thread { [self] in
            // On Linux only a running thread can be named, and only with 15 bytes.
            Thread.current.name = name
            while let job = next() { job() }
        }
        thread.start()
    }

    private func next() -> Job? {
        while true {
            wake.wait()
            let (job, isStopped) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isStopped)
            }
            if let job { return job }
            if isStopped { return nil }
        }
    }
}
