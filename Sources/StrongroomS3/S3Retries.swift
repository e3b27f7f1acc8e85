#if S3
/// How often a request is repeated, and how long the pauses are.
struct S3Retries: Sendable {
    /// The number of attempts in all.
    var attempts = 6
    /// The first pause; each further one is twice as long.
    var firstPause: Duration = .milliseconds(200)
    /// The longest pause, also where the service asks for a longer one.
    var longestPause: Duration = .seconds(20)
    /// Waits.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The pause after an attempt; nil after the last one.
    ///
    /// - Parameters:
    ///   - attempt: The attempt's number, from 1.
    ///   - retryAfter: The pause that the service asks for.
    ///   - jitter: A random number from 0.5 to 1, so that clients that failed together do not return together.
    func pause(after attempt: Int, retryAfter: Duration?, jitter: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        let growing = firstPause * (1 << min(attempt - 1, 20)) * jitter
        return min(longestPause, max(growing, retryAfter ?? .zero))
    }

    /// Waits until the next attempt.
    ///
    /// - Returns: False after the last one.
    /// - Throws: `CancellationError`.
    func wait(after attempt: Int, _ failure: HTTPFailure?) async throws -> Bool {
        let jitter = Double.random(in: 0.5...1)
        guard let pause = pause(after: attempt, retryAfter: failure?.retryAfter, jitter: jitter) else { return false }
        try await sleep(pause)
        return true
    }
}
#endif
