import Dispatch
import Foundation

/// Blocking work that several threads do together, one of which is the caller's.
enum SharedWork {
    private struct State {
        /// Nil when no further thread is to begin.
        var body: (@Sendable () -> Void)?
        /// The threads that have begun, besides the caller's.
        var threads = 0
    }

    /// Calls a closure on further threads while the caller does its own part, and returns when all calls have returned.
    ///
    /// The own part must do all the work that the others leave: a thread that the system has not created by the end of
    /// the own part is not waited for, and does not call the closure any more.
    static func run(threads: Int, _ name: String, others: @escaping @Sendable () -> Void, own: () -> Void) {
        let state = Locked(State(body: others))
        let hasEnded = DispatchSemaphore(value: 0)
        for _ in 1..<max(1, threads) {
            ThreadPool.shared.run(name) {
                // What the closure refers to is released before the end is reported.
                guard callBody(of: state) else { return }
                DedicatedThread.end()
                hasEnded.signal()
            }
        }
        own()
        let begun = state.withLock { state in
            state.body = nil
            return state.threads
        }
        for _ in 0..<begun { hasEnded.wait() }
    }

    private static func callBody(of state: Locked<State>) -> Bool {
        let body = state.withLock { state in
            if state.body != nil { state.threads += 1 }
            return state.body
        }
        body?()
        return body != nil
    }

    /// A job; the function that it receives returns whether another one has failed.
    typealias Job = @Sendable (_ hasFailed: @escaping @Sendable () -> Bool) throws -> Void

    /// Runs blocking jobs, two at the same time if there is more than one processor, and returns when none is running
    /// any more.
    ///
    /// - Parameters:
    ///   - name: The name of the second thread, at most 15 bytes.
    ///   - jobs: The longest first.
    /// - Throws: The first error; no job begins after it.
    static func run(_ name: String, _ jobs: [Job]) throws {
        let state = Locked((next: 0, failure: (any Error)?.none))
        let work: @Sendable () -> Void = {
            while let job = state.withLock({ state -> Job? in
                guard state.failure == nil, state.next < jobs.count else { return nil }
                defer { state.next += 1 }
                return jobs[state.next]
            }) {
                do {
                    try job { state.withLock { $0.failure != nil } }
                } catch {
                    state.withLock { $0.failure = $0.failure ?? error }
                }
            }
        }
        let processors = ProcessInfo.processInfo.activeProcessorCount
        run(threads: min(2, processors, jobs.count), name, others: work, own: work)
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
