import Dispatch

/// Blocking work that several threads do together, one of which is the caller's.
final class SharedWork: Sendable {
    private struct State {
        /// Nil when no further thread is to begin.
        var body: (@Sendable () -> Void)?
        /// The threads that have begun, besides the caller's.
        var threads = 0
    }

    private let state: Locked<State>
    private let threadEnded = DispatchSemaphore(value: 0)

    private init(_ body: @escaping @Sendable () -> Void) {
        state = Locked(State(body: body))
    }

    /// Calls a closure on further threads while the caller does its own part, and returns when all calls have returned.
    ///
    /// The own part must do all the work that the others leave: a thread that the system has not created by the end of
    /// the own part is not waited for, and does not call the closure any more.
    ///
    /// - Parameters:
    ///   - threads: The number of threads, including the caller's.
    ///   - name: The name of the others, at most 15 bytes.
    ///   - others: Called on each further thread.
    ///   - own: Called on the caller's thread.
    static func run(threads: Int, _ name: String, others: @escaping @Sendable () -> Void, own: () -> Void) {
        guard threads > 1 else { return own() }
        let work = SharedWork(others)
        for _ in 1..<threads { DedicatedThread.start(name) { _ in work.join() } }
        own()
        work.end()
    }

    private func join() {
        let body = state.withLock { state in
            if state.body != nil { state.threads += 1 }
            return state.body
        }
        guard let body else { return DedicatedThread.end() }
        body()
        DedicatedThread.end()
        threadEnded.signal()
    }

    private func end() {
        let threads = state.withLock { state in
            state.body = nil
            return state.threads
        }
        for _ in 0..<threads { threadEnded.wait() }
    }
}
