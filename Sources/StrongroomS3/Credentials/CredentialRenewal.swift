#if S3
internal import Foundation
internal import Strongroom

/// When credentials are renewed, and what requests use meanwhile: decisions without effects.
struct CredentialRenewal {
    enum Decision {
        case use(S3Credentials)
        /// Begin a renewal; use the credentials, or wait for its end.
        case renew(S3Credentials?)
        /// Wait for the end of the renewal that is running.
        case wait
        case fail(StrongroomError)
    }

    /// Credentials are renewed this long before their end, in seconds, or up to half as long again; of those of less
    /// than twenty minutes it is a quarter of their lifetime.
    static let lead: TimeInterval = 300
    /// The longest time between two attempts, in seconds.
    static let longestPause: TimeInterval = 60
    /// How long a source is not asked again that has nothing newer than what the service refuses, in seconds.
    static let pauseOfSame: TimeInterval = 10

    private(set) var found: FoundCredentials?
    private var renewal = Date.distantFuture
    private var isRenewing = false
    /// Whether the service has refused the credentials.
    private var isRefused = false
    /// Why the last attempt failed; nil if it succeeded.
    private var failure: StrongroomError?
    private var failures = 0
    private var pauseEnd = Date.distantPast

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - refused: The credentials that the service has refused; nil if the request is new.
    ///   - isFileChanged: Whether a file from which the credentials are has changed.
    mutating func ask(at now: Date, refused: S3Credentials? = nil, isFileChanged: Bool = false) -> Decision {
        let isPaused = isPaused(at: now)
        if let refused, let found, found.credentials.isSame(as: refused),
            isRenewing || !isPaused || failure != nil
        {
            isRefused = true
        }
        let usable = usable(at: now)
        if let usable, !isFileChanged {
            guard !isRenewing, !isPaused, now >= renewal else { return .use(usable) }
            isRenewing = true
            return .renew(usable)
        }
        guard !isRenewing else { return .wait }
        if isPaused { return usable.map(Decision.use) ?? .fail(refusal(at: now)) }
        isRenewing = true
        return .renew(nil)
    }

    /// Records the end of a renewal.
    ///
    /// - Parameter jitter: A random number from 0.5 to 1, so that hosts that failed together do not return together.
    mutating func end(_ result: Result<FoundCredentials, StrongroomError>, at now: Date, jitter: Double) {
        isRenewing = false
        switch result {
        case .success(let new):
            if let end = new.credentials.expiration, end <= now {
                fail(Self.hasEnded(new, end, now), at: now, jitter)
                return
            }
            let isSame = found.map { $0.credentials.isSame(as: new.credentials) } ?? false
            pauseEnd = isRefused && isSame ? now + Self.pauseOfSame : .distantPast
            (found, failure, failures, isRefused) = (new, nil, 0, false)
            renewal =
                new.credentials.expiration.map { end in
                    let lifetime = end.timeIntervalSince(now)
                    // Those of one moment are not all renewed at one moment.
                    return now + max(1, lifetime - min(Self.lead, lifetime / 4) * (0.5 + jitter))
                } ?? .distantFuture
        case .failure(let error): fail(error, at: now, jitter)
        }
    }

    /// What the tasks get that have waited for the renewal.
    func outcome(at now: Date) -> Result<S3Credentials, StrongroomError> {
        usable(at: now).map(Result.success) ?? .failure(refusal(at: now))
    }

    /// Why the last attempt failed, if requests continue nevertheless.
    func warning(at now: Date) -> String? {
        guard let failure, let found, usable(at: now) != nil else { return nil }
        let end = found.credentials.expiration.map { ", which end at \($0.formatted(.iso8601))" } ?? ""
        return "The credentials of \(found.source)\(end), were not renewed and are used meanwhile. \(failure.message)"
    }

    private mutating func fail(_ error: StrongroomError, at now: Date, _ jitter: Double) {
        failure = error
        failures += 1
        pauseEnd = now + min(Self.longestPause, TimeInterval(1 << min(failures - 1, 20))) * jitter
    }

    /// The credentials, unless they have ended or are refused.
    private func usable(at now: Date) -> S3Credentials? {
        guard let found, !isRefused, found.credentials.expiration.map({ now < $0 }) ?? true else { return nil }
        return found.credentials
    }

    /// Also false if the clock was put back.
    private func isPaused(at now: Date) -> Bool { now < pauseEnd && pauseEnd <= now + Self.longestPause }

    /// The error of a request for which there are no credentials.
    private func refusal(at now: Date) -> StrongroomError {
        let failure = failure ?? StrongroomError(.objectStore, "Try again.")
        guard let found else { return failure }
        let end = found.credentials.expiration.map { "ended at \($0.formatted(.iso8601))" }
        let state = isRefused ? "are refused by the service" : end ?? "ended"
        return StrongroomError(
            failure.code, "The credentials of \(found.source) \(state), and were not renewed. \(failure.message)")
    }

    private static func hasEnded(_ found: FoundCredentials, _ end: Date, _ now: Date) -> StrongroomError {
        StrongroomError(
            .objectStore,
            """
            The credentials of \(found.source) have ended before they were used: they end at \
            \(end.formatted(.iso8601)), and the clock of this machine is at \(now.formatted(.iso8601)). Set the clock, \
            or see why the source has no newer ones.
            """)
    }
}
#endif
