import CPKCS11
import Strongroom

/// The login of a token, which is one for all sessions of the process. A few wrong PINs lock a token, so that none is
/// tried again which it may have counted as wrong.
final class TokenLogin: @unchecked Sendable {  // `attempts` is guarded by `permit`
    /// A PIN that did not log in.
    private struct Attempt {
        let pin: SecretBytes
        let fault: CryptokiFault
        /// Whether the token has then reported that a wrong PIN was entered since the last right one.
        let isReported: Bool
        /// When the PIN may be tried once more; nil for never.
        let next: ContinuousClock.Instant?
    }

    private static let reports = CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY | CKF_USER_PIN_LOCKED

    private let name: String
    private let pause: Duration
    // Of two tasks with a wrong PIN, only one may try it.
    private let permit = Permits(1)
    /// Since the last right one.
    private var attempts: [Attempt] = []

    /// - Parameter pause: The time after which a PIN is tried once more when the token did not say that it was wrong.
    init(_ name: String, _ pause: Duration) { (self.name, self.pause) = (name, pause) }

    /// Logs in, unless the session is logged in already.
    func ensure(_ session: CryptokiSession, _ readPIN: () async throws -> SecretBytes) async throws {
        guard try session.needsLogin() else { return }
        try Task.checkCancellation()
        let pin = try await readPIN()
        try await permit.run {
            // Another task may have logged in, for all sessions.
            guard try session.needsLogin() else { return }
            let flags = try session.module.tokenInfo(session.slot).flags
            try requireAttempts(flags)
            // A right one was entered elsewhere.
            if flags & Self.reports == 0 { attempts.removeAll(where: \.isReported) }
            try Task.checkCancellation()
            try logIn(session, pin)
        }
    }

    private func requireAttempts(_ flags: CK_FLAGS) throws {
        guard flags & CKF_USER_PIN_LOCKED == 0 else { throw CryptokiFault.failed("A login", CKR_PIN_LOCKED) }
        guard flags & CKF_USER_PIN_FINAL_TRY == 0 else {
            throw StrongroomError(
                .keyProvider,
                """
                One more wrong PIN locks \(name), so none was tried. Log in once with the right PIN, such as with \
                pkcs11-tool --login --list-objects; then try again.
                """)
        }
    }

    private func logIn(_ session: CryptokiSession, _ pin: SecretBytes) throws {
        let last = attempts.first { $0.pin == pin }
        if let last, last.next.map({ $0 > .now }) ?? true { throw refused(last, "It was not tried again") }
        do {
            try session.logIn(pin)
            attempts = []
        } catch let fault as CryptokiFault where fault.isCounted {
            let flags = (try? session.module.tokenInfo(session.slot).flags) ?? 0
            let isReported = flags & Self.reports != 0
            let isFinal = fault.isRefusedPIN || isReported || last != nil
            let attempt = Attempt(
                pin: pin, fault: fault, isReported: isReported, next: isFinal ? nil : .now + pause)
            attempts.removeAll { $0.pin == pin }
            attempts.append(attempt)
            throw refused(attempt, isFinal ? "It is not tried again" : "It is tried once more after a minute")
        }
    }

    private func refused(_ attempt: Attempt, _ consequence: String) -> StrongroomError {
        let (result, advice) =
            attempt.fault.isRefusedPIN
            ? ("was refused by \(name)", "Correct the PIN at its source")
            : ("may have been counted as wrong by \(name)", "Connect the token, or correct the PIN at its source")
        return StrongroomError(
            .keyProvider,
            """
            The PIN \(result) (C_Login: \(CryptokiFault.name(attempt.fault.result ?? CKR_OK))). \(consequence), since \
            a few wrong ones lock the token. \(advice).
            """)
    }
}
