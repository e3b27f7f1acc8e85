import Dispatch
import Foundation

/// Tries again to make threads that the system would not make.
///
/// It has a thread of its own, which stays: the thread that requests one may be the only thread that could run what the
/// others wait for.
final class ThreadPatience: Sendable {
    static let shared = ThreadPatience()

    private struct Wanted {
        let thread: NewThread
        let since = ContinuousClock.now
    }

    private struct State {
        var wanted: [Wanted] = []
        var isThere = false
    }

    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)

    /// How long it is tried before another's thread does the work.
    private static let longest = Duration.seconds(1)
    /// Seconds between two tries.
    private static let pause = 0.05

    private init() {
        begin()
    }

    /// Makes a thread as soon as there can be one.
    func take(_ thread: NewThread) {
        // A process that had none from the beginning may have one now.
        guard begin() else { return useDispatch(for: thread) }
        state.withLock { $0.wanted.append(Wanted(thread: thread)) }
        wake.signal()
    }

    /// Starts its own thread, unless it is there.
    ///
    /// - Returns: Whether it is.
    @discardableResult
    private func begin() -> Bool {
        state.withLock { state in
            if !state.isThere { state.isThere = NewThread(name: "strongroom.wait") { [self] _ in run() }.start() }
            return state.isThere
        }
    }

    private func run() {
        while true {
            wake.wait()
            while tryAll() { Thread.sleep(forTimeInterval: Self.pause) }
        }
    }

    /// - Returns: Whether some are still to be made.
    private func tryAll() -> Bool {
        let wanted = state.withLock { state in
            defer { state.wanted = [] }
            return state.wanted
        }
        let refused = wanted.filter { !$0.thread.start() }
        let start = ContinuousClock.now - Self.longest
        for late in refused where late.since < start { useDispatch(for: late.thread) }
        return state.withLock { state in
            state.wanted.insert(contentsOf: refused.filter { $0.since >= start }, at: 0)
            return !state.wanted.isEmpty
        }
    }

    /// One of Dispatch's may have nothing to do. Where none has, this waits until Dispatch can make one.
    private func useDispatch(for thread: NewThread) {
        DispatchQueue.global().async { thread.body(false) }
    }
}
