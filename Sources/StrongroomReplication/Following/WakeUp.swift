import Strongroom

/// Wakes one task before its time.
final class WakeUp: Sendable {
    private struct State {
        var isSignalled = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Ends the present wait, or the next one.
    func signal() {
        let continuation = state.withLock { state in
            state.isSignalled = state.continuation == nil
            return state.continuation.take()
        }
        continuation?.resume()
    }

    /// Waits for a signal, for a time, or for the cancellation of the task.
    func wait(atMost time: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: time)
            if !Task.isCancelled { self.end() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.isSignalled || Task.isCancelled {
                        state.isSignalled = false
                        return true
                    }
                    state.continuation = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            end()
        }
        timer.cancel()
    }

    /// As ``signal()``: also before the wait has begun.
    private func end() { signal() }
}
