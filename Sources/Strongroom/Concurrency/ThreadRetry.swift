import Dispatch
import Foundation

/// The name that debuggers and system tools show for a thread.
enum ThreadName {
    /// Names the running thread.
    ///
    /// - Parameter name: At most 15 bytes; with a longer one, a thread keeps its former name on Linux.
    static func set(_ name: String) {
        Thread.current.name = name
    }
}

/// Retries creating threads that the system could not create.
///
/// It has a permanent thread of its own: the thread that requests a new one may be the only one that could run the work
/// that others wait for.
final class ThreadRetry: Sendable {
    static let shared = ThreadRetry()

    private struct Request {
        let thread: NewThread
        let since = ContinuousClock.now
    }

    private struct State {
        var requests: [Request] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)

    /// How long to retry before a Dispatch thread runs the work.
    private static let longest = Duration.seconds(1)
    /// Seconds between two attempts.
    private static let pause = 0.05

    private init() {
        begin()
    }

    /// Creates a thread as soon as the system allows.
    func start(_ thread: NewThread) {
        // A process that could not create one when it started may be able to now.
        guard begin() else { return useDispatch(for: thread) }
        state.withLock { $0.requests.append(Request(thread: thread)) }
        wake.signal()
    }

    /// Starts its own thread, unless it is running.
    ///
    /// - Returns: Whether it is running.
    @discardableResult
    private func begin() -> Bool {
        state.withLock { state in
            if !state.isRunning { state.isRunning = NewThread(name: "strongroom.wait") { [self] _ in run() }.start() }
            return state.isRunning
        }
    }

    private func run() {
        while true {
            wake.wait()
            while tryAll() { Thread.sleep(forTimeInterval: Self.pause) }
        }
    }

    /// - Returns: Whether there are threads left to create.
    private func tryAll() -> Bool {
        let requests = state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
        let refused = requests.filter { !$0.thread.start() }
        let start = ContinuousClock.now - Self.longest
        for late in refused where late.since < start { useDispatch(for: late.thread) }
        return state.withLock { state in
            state.requests.insert(contentsOf: refused.filter { $0.since >= start }, at: 0)
            return !state.requests.isEmpty
        }
    }

    /// A Dispatch thread may be idle. If none is, this call blocks until Dispatch can create one.
    private func useDispatch(for thread: NewThread) {
        DispatchQueue.global().async { thread.body(false) }
    }
}
