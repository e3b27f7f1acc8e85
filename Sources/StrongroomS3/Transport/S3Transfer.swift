#if S3
internal import Strongroom

/// An exchange that a task waits for.
final class S3Transfer: Sendable {
    private struct State {
        var exchange: S3Exchange
        var continuation: CheckedContinuation<S3Exchange.Outcome, Never>?
    }

    private let state: Locked<State>

    init(timeout: Duration, bodyCount: Int, partLength: Int?) {
        let exchange = S3Exchange(timeout: timeout, bodyCount: bodyCount, partLength: partLength, now: .now)
        state = Locked(State(exchange: exchange))
    }

    var deadline: ContinuousClock.Instant { state.withLock { $0.exchange.deadline } }

    /// Waits for the outcome.
    ///
    /// - Parameter start: Starts the request; not called if the exchange has ended already.
    func outcome(_ start: () -> Void) async -> S3Exchange.Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.exchange.outcome == nil { state.continuation = continuation }
                return state.exchange.outcome
            }
            if let outcome { continuation.resume(returning: outcome) } else { start() }
        }
    }

    /// Changes the exchange; resumes the waiting task if that ends it.
    @discardableResult
    func change<Result>(_ body: (inout S3Exchange) -> Result) -> Result {
        var ended: (S3Exchange.Outcome, CheckedContinuation<S3Exchange.Outcome, Never>)?
        let result = state.withLock { state in
            let result = body(&state.exchange)
            if let outcome = state.exchange.outcome, let continuation = state.continuation {
                state.continuation = nil
                ended = (outcome, continuation)
            }
            return result
        }
        if let (outcome, continuation) = ended { continuation.resume(returning: outcome) }
        return result
    }
}
#endif
