#if S3
internal import Foundation
public import Logging
internal import Strongroom

/// Credentials of a source that are renewed before they end.
///
/// Requests share one renewal, which begins five to seven and a half minutes before the end; for credentials of less
/// than twenty minutes, after five eighths to three quarters of their lifetime. Meanwhile, and for as long as renewals
/// fail, requests use the old credentials until their end; a failed renewal is tried again after growing pauses of at
/// most a minute. The end and the pauses are measured by the machine's clock. Credentials that the service refuses are
/// renewed at once, and no request uses them until that succeeds.
///
/// Most programs use ``S3CredentialProvider/standard(connection:logger:)``. For a source that this does not know, pass
/// a closure:
///
/// ```swift
/// let credentials = S3RenewingCredentials("Vault", logger: logger) {
///     let lease = try await vault.read("aws/creds/replicas")
///     return S3Credentials(
///         accessKey: lease.accessKey, secretKey: lease.secretKey, sessionToken: lease.token,
///         expiration: .now + lease.duration)
/// }
/// ```
public final class S3RenewingCredentials: S3CredentialProvider {
    typealias Waiter = CheckedContinuation<Result<S3Credentials, any Error>, Never>

    private struct State {
        var renewal = CredentialRenewal()
        var waiters: [Int: Waiter] = [:]
        var count = 0
    }

    private let state = Locked(State())
    private let logger: Logger?
    private let now: @Sendable () -> Date
    private let find: @Sendable () async throws -> FoundCredentials

    /// Credentials that a closure obtains.
    ///
    /// - Parameters:
    ///   - source: The source's name, for messages.
    ///   - logger: Gets a warning for each renewal that fails while the old credentials are used; at `debug` a line
    ///     for each other one.
    ///   - obtain: Obtains new credentials; never called twice at a time. Give it a time-out. Credentials without
    ///     ``S3Credentials/expiration`` are renewed only when the service refuses them. A `StrongroomError` that it
    ///     throws is passed on; of another error only the type is reported, since it may contain a secret.
    public convenience init(
        _ source: String, logger: Logger? = nil, _ obtain: @escaping @Sendable () async throws -> S3Credentials
    ) {
        self.init(logger: logger, now: { .now }) {
            do {
                return FoundCredentials(credentials: try await obtain(), source: source)
            } catch let error as StrongroomError {
                throw error
            } catch {
                throw StrongroomError(
                    .objectStoreUnreachable,
                    "\(source) gave no credentials: the closure threw \(type(of: error)). See what it does.")
            }
        }
    }

    init(
        logger: Logger?, now: @escaping @Sendable () -> Date,
        find: @escaping @Sendable () async throws -> FoundCredentials
    ) {
        (self.logger, self.now, self.find) = (logger, now, find)
    }

    /// The credentials, which are obtained or renewed first if they must be.
    ///
    /// - Throws: `StrongroomError` that names the source and says what to do, with `invalidSetting` if no source is
    ///   configured or one is configured wrongly, `objectStoreUnreachable` if one does not answer, `objectStore` if it
    ///   refuses the request; `permissionDenied`, `fileMissing`, `notAFile` of a file; `CancellationError`.
    public func credentials() async throws -> S3Credentials { try await answer(to: nil) }

    /// New credentials in place of those that the service has refused.
    ///
    /// - Throws: As ``credentials()``.
    public func renewed(after refused: S3Credentials) async throws -> S3Credentials { try await answer(to: refused) }

    /// - Parameter refused: The credentials that the service has refused; nil if the request is new.
    private func answer(to refused: S3Credentials?) async throws -> S3Credentials {
        let files = state.withLock { $0.renewal.found?.files ?? [] }
        let isFileChanged = files.contains { $0.isChanged }
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let moment = now()
                // Checked under the lock: a task that is cancelled later is found among the waiters.
                let decision: CredentialRenewal.Decision? = state.withLock { state in
                    guard !Task.isCancelled else { return nil }
                    let decision = state.renewal.ask(at: moment, refused: refused, isFileChanged: isFileChanged)
                    switch decision {
                    case .wait, .renew(nil): state.waiters[number] = waiter
                    case .use, .fail, .renew: break
                    }
                    return decision
                }
                carry(out: decision, waiter)
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(returning: .failure(CancellationError()))
        }
        return try result.get()
    }

    /// - Parameter decision: Nil if the task is cancelled.
    private func carry(out decision: CredentialRenewal.Decision?, _ waiter: Waiter) {
        switch decision {
        case nil: waiter.resume(returning: .failure(CancellationError()))
        case .wait?: break
        case .use(let credentials)?: waiter.resume(returning: .success(credentials))
        case .fail(let error)?: waiter.resume(returning: .failure(error))
        case .renew(let credentials)?:
            // Not a child of this task: other tasks wait for it, too.
            Task { await renew() }
            if let credentials { waiter.resume(returning: .success(credentials)) }
        }
    }

    private func renew() async {
        let result: Result<FoundCredentials, StrongroomError>
        do {
            result = .success(try await find())
        } catch {
            result = .failure(
                error as? StrongroomError
                    ?? StrongroomError(.objectStoreUnreachable, "The request for credentials was interrupted."))
        }
        let moment = now()
        let (waiters, outcome, warning) = state.withLock { state in
            state.renewal.end(result, at: moment, jitter: .random(in: 0.5...1))
            defer { state.waiters = [:] }
            return (state.waiters.values, state.renewal.outcome(at: moment), state.renewal.warning(at: moment))
        }
        if case .success(let found) = result { logger?.debug("obtained the credentials of \(found.source)") }
        if let warning { logger?.warning("\(warning)") }
        for waiter in waiters { waiter.resume(returning: outcome.mapError { $0 }) }
    }
}

extension S3RenewingCredentials: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "S3RenewingCredentials" }

    /// Empty, so that `dump` prints nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
