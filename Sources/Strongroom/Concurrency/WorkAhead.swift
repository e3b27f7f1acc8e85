/// Work that has begun on another thread and whose result one task awaits.
final class WorkAhead<Value: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Value, any Error>)
        case done(Result<Value, any Error>)
    }

    private let state = Locked(State.running)

    /// Sets the result, once.
    func finish(_ result: Result<Value, any Error>) {
        state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard case .awaited(let continuation) = state else {
                state = .done(result)
                return nil
            }
            return continuation
        }?.resume(with: result)
    }

    /// The result; the task is suspended until there is one. Asked for once.
    ///
    /// - Throws: What the work throws.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .done(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }
}
