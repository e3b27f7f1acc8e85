/// Work that has begun on another thread and whose result one task awaits.
final class WorkAhead<Output: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Output, any Error>)
        case done(Result<Output, any Error>)
    }

    private let state = Locked(State.running)

    /// Sets the result, once.
    func finish(_ result: Result<Output, any Error>) {
        state.withLock { state -> CheckedContinuation<Output, any Error>? in
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
    var output: Output {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Output, any Error>? in
                    if case .done(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }
}
