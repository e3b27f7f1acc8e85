import Dispatch

/// A value that one thread sets and another waits for.
// Guarded by its lock; the value is transferred from one thread to the other.
final class Promise<Content>: @unchecked Sendable {
    private struct State {
        var value: Content?
        var semaphore: DispatchSemaphore?
    }

    private let state = Locked(State())

    /// Sets the value, once.
    func fulfill(_ value: Content) {
        state.withLock { state in
            state.value = value
            return state.semaphore
        }?.signal()
    }

    /// Blocks the thread until the value is set.
    func wait() -> Content {
        while true {
            let semaphore = DispatchSemaphore(value: 0)
            let value = state.withLock { state in
                state.semaphore = semaphore
                return state.value.take()
            }
            if let value { return value }
            semaphore.wait()
        }
    }
}
