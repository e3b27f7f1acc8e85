import CPKCS11
import Foundation
import Strongroom

/// The sessions with a token: at most four, shared by all threads, since tokens have few. The token stays logged in as
/// long as one of them is open.
final class TokenSessions: @unchecked Sendable {  // guarded by `condition`; what concerns logins, by `logins`
    static let most = 4

    private struct Refusal {
        let pin: SecretBytes
        let fault: CryptokiFault
        /// Whether the token has then reported that a wrong PIN was entered since the last right one.
        let isReported: Bool
    }

    private let module: CryptokiModule
    private let token: TokenName
    private let condition = NSCondition()
    private var idle: [CryptokiSession] = []
    private var usedCount = 0
    // A lock that is held during a login: of two threads with a wrong PIN, only one may try it.
    private let logins = NSLock()
    /// The PINs that the token has refused since the last right one.
    private var refusals: [Refusal] = []

    init(_ module: CryptokiModule, _ token: TokenName) { (self.module, self.token) = (module, token) }

    private var name: String { "\(token) of the module \"\(module.path)\"" }

    /// Runs work in a session that is logged in; once more in a new session, if the first was lost.
    ///
    /// - Parameters:
    ///   - readPIN: Gives the PIN; called when a login is needed.
    ///   - work: Throws ``CryptokiFault`` where the module fails; its session is then closed.
    /// - Throws: ``StrongroomError`` with `keyProvider`; what `readPIN` and `work` throw besides.
    func perform<T>(
        pin readPIN: () async throws -> SecretBytes, _ work: (CryptokiSession) throws -> T
    ) async throws -> T {
        do {
            do { return try await attempt(readPIN, work) } catch let fault as CryptokiFault where fault.isLoss {
                closeIdleSessions()
                if fault.result == CKR_CRYPTOKI_NOT_INITIALIZED { try module.initialiseAgain() }
                return try await attempt(readPIN, work)
            }
        } catch let fault as CryptokiFault { throw fault.error(name) }
    }

    private func attempt<T>(
        _ readPIN: () async throws -> SecretBytes, _ work: (CryptokiSession) throws -> T
    ) async throws -> T {
        let session = try take()
        do {
            if try session.needsLogin() {
                let pin = try await readPIN()
                try logins.withLock { try logIn(session, pin) }
            }
            let result = try work(session)
            give(back: session)
            return result
        } catch {
            // An operation may still be active in it.
            session.close()
            release()
            throw error
        }
    }

    // MARK: Sessions

    private func take() throws -> CryptokiSession {
        let known = condition.withLock {
            while usedCount >= Self.most { condition.wait() }
            usedCount += 1
            return idle.popLast()
        }
        if let known { return known }
        do {
            let (slot, info) = try find()
            return try CryptokiSession(module, slot, requiresLogin: info.flags & CKF_LOGIN_REQUIRED != 0)
        } catch {
            release()
            throw error
        }
    }

    private func give(back session: CryptokiSession) {
        condition.withLock { idle.append(session) }
        release()
    }

    private func release() {
        condition.withLock {
            usedCount -= 1
            condition.signal()
        }
    }

    /// Closes the sessions that are not in use: they were probably lost, too.
    private func closeIdleSessions() {
        let lost = condition.withLock {
            defer { idle = [] }
            return idle
        }
        for session in lost { session.close() }
    }

    /// The slot of the token, which is another one after the token was connected again.
    private func find() throws -> (CK_SLOT_ID, CK_TOKEN_INFO) {
        // A slot whose token cannot be read has another one.
        let present = try module.slots().compactMap { slot in
            (try? module.tokenInfo(slot)).map { (slot, $0) }
        }
        let found = present.filter { token.fits($0.1) }
        guard found.count < 2 else {
            throw StrongroomError(
                .keyProvider,
                "The module \"\(module.path)\" has \(found.count) tokens that are \(token); give the serial number.")
        }
        guard let only = found.first else {
            let labels = present.map { TokenName.label($0.1) }.filter { !$0.isEmpty }.prefix(8)
            let others = labels.isEmpty ? "no token" : labels.map { "\"\($0)\"" }.joined(separator: ", ")
            throw StrongroomError(
                .keyProvider,
                """
                The module "\(module.path)" does not have \(token); it has \(others). Connect the token or start its \
                service; some modules find it only in a new process.
                """)
        }
        return only
    }

    // MARK: Logins

    private func logIn(_ session: CryptokiSession, _ pin: SecretBytes) throws {
        // Another thread may have logged in, for all sessions.
        guard try session.needsLogin() else { return }
        let flags = try module.tokenInfo(session.slot).flags
        guard flags & CKF_USER_PIN_FINAL_TRY == 0 else {
            throw StrongroomError(
                .keyProvider,
                """
                One more wrong PIN locks \(name), so none was tried. Log in once with the right PIN, such as with \
                pkcs11-tool --login --list-objects; then try again.
                """)
        }
        // A right one was entered elsewhere.
        if flags & CKF_USER_PIN_COUNT_LOW == 0 { refusals.removeAll(where: \.isReported) }
        if let refusal = refusals.first(where: { $0.pin == pin }) {
            throw refused(refusal.fault, "It was not tried again")
        }
        do {
            try session.logIn(pin)
            refusals = []
        } catch let fault as CryptokiFault where fault.isRefusedPIN {
            let isReported = (try? module.tokenInfo(session.slot).flags).map { $0 & CKF_USER_PIN_COUNT_LOW != 0 }
            refusals.append(Refusal(pin: pin, fault: fault, isReported: isReported ?? false))
            throw refused(fault, "It is not tried again")
        }
    }

    private func refused(_ fault: CryptokiFault, _ consequence: String) -> StrongroomError {
        StrongroomError(
            .keyProvider,
            """
            The PIN was refused by \(name) (\(CryptokiFault.name(fault.result ?? CKR_OK))). \(consequence), since a \
            few wrong ones lock the token. Correct the PIN at its source.
            """)
    }
}
