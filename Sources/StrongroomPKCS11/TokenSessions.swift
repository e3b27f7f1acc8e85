import CPKCS11
import Strongroom

/// The sessions with a token: at most four, shared by all threads, since tokens have few. The token stays logged in as
/// long as one of them is open.
final class TokenSessions: Sendable {
    static let most = 4

    private struct State {
        var idle: [CryptokiSession] = []
        /// Counts the losses: a session that was opened before the last one is not used again.
        var generation = 0
    }

    private let module: CryptokiModule
    private let login: TokenLogin
    private let permits = Permits(most)
    private let state = Locked(State())

    init(_ module: CryptokiModule, _ token: TokenName) {
        (self.module, login) = (module, TokenLogin("\(token) of the module \"\(module.path)\"", module.loginPause))
    }

    /// Runs work in a session that is logged in.
    ///
    /// - Parameters:
    ///   - slot: Where the token is now.
    ///   - readPIN: Gives the PIN; called when a login is needed.
    ///   - work: Throws ``CryptokiFault`` where the module fails; its session is then not used again.
    /// - Throws: ``CryptokiFault``; ``StrongroomError`` with `keyProvider`; `CancellationError`; what `readPIN` and
    ///   `work` throw besides.
    func perform<T>(
        in slot: CK_SLOT_ID, pin readPIN: () async throws -> SecretBytes, _ work: (CryptokiSession) throws -> T
    ) async throws -> T {
        try await permits.run {
            let session = try take(slot)
            do {
                try await login.ensure(session, readPIN)
                let result = try work(session)
                if session.isSpent { replace(session) } else { keep(session) }
                return result
            } catch let fault as CryptokiFault {
                if fault.isLoss { drop(session, fault) } else { replace(session) }
                throw fault
            } catch {
                keep(session)
                throw error
            }
        }
    }

    /// Forgets the sessions that are not in use, and those that are when they are given back.
    ///
    /// - Parameter last: Only if none was forgotten since the session of this generation was opened.
    /// - Returns: The sessions that were not in use.
    @discardableResult
    func forget(since last: Int? = nil) -> [CryptokiSession] {
        state.withLock { state in
            guard last == nil || last == state.generation else { return [] }
            state.generation += 1
            defer { state.idle = [] }
            return state.idle
        }
    }

    private func take(_ slot: CK_SLOT_ID) throws -> CryptokiSession {
        let (known, generation) = state.withLock { state in
            // With the slot the token has left, its sessions have ended.
            state.idle.removeAll { $0.slot != slot }
            return (state.idle.popLast(), state.generation)
        }
        return try known ?? CryptokiSession(module, slot, generation: generation)
    }

    private func keep(_ session: CryptokiSession) {
        let isKept = state.withLock { state in
            guard session.generation == state.generation else { return false }
            state.idle.append(session)
            return true
        }
        if !isKept { session.close() }
    }

    /// Closes a session in which an operation may still be active. Another one is opened before, since the token is
    /// logged out with the last: otherwise an attacker's envelope could force a login for each of its slots.
    private func replace(_ session: CryptokiSession) {
        if let new = try? CryptokiSession(module, session.slot, generation: session.generation) { keep(new) }
        session.close()
    }

    /// Drops a session that was lost, and those not in use: they were probably lost, too.
    private func drop(_ session: CryptokiSession, _ loss: CryptokiFault) {
        let lost = forget(since: session.generation) + [session]
        if !loss.endsSession { for session in lost { session.close() } }
    }
}
