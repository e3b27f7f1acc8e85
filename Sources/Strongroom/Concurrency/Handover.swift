import Dispatch

/// A value that one thread gives and another waits for.
final class Handover<Value>: @unchecked Sendable {  // guarded by its lock; the value goes from one thread to the other
    private struct State {
        var value: Value?
        var gate: DispatchSemaphore?
    }

    private let state = Locked(State())

    /// Gives the value, once.
    func give(_ value: Value) {
        state.withLock { state in
            state.value = value
            return state.gate
        }?.signal()
    }

    /// Blocks the thread until the value is there.
    func wait() -> Value {
        while true {
            let gate = DispatchSemaphore(value: 0)
            let value = state.withLock { state in
                state.gate = gate
                return state.value.take()
            }
            if let value { return value }
            gate.wait()
        }
    }
}
