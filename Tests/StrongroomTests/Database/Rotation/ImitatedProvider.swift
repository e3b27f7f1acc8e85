import Dispatch
// Internal: the imitation encrypts with the library's AES-256-GCM.
@testable import Strongroom

/// An imitation of a key service or a token, inside the process. What it wraps is encrypted by AES-256-GCM under a
/// fixed key, with the context authenticated: nonce, ciphertext, tag.
final class ImitatedProvider: KeyProvider {
    enum Fault: CaseIterable {
        /// It throws.
        case fails
        /// It is suspended for ever.
        case never
        /// It blocks its thread until it is released, and then answers.
        case late
        case anotherKey
        case tooShort
        case empty
    }

    struct Refusal: Error, CustomStringConvertible {
        let description = "the session is closed"
    }

    private struct State {
        var fault: Fault?
        var wrapCount = 0
        var unwrapCount = 0
        /// Nil for what it is by the key.
        var wrapped: [UInt8]?
    }

    let identifier: String
    private let secret: SecretBytes
    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    init(_ identifier: String = "imitation:1", secret: [UInt8] = [UInt8](repeating: 0x33, count: 32)) {
        self.identifier = identifier
        self.secret = SecretBytes(secret)
    }

    var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// What it returns for every key; nil for what it wraps.
    var wrapped: [UInt8]? {
        get { state.withLock { $0.wrapped } }
        set { state.withLock { $0.wrapped = newValue } }
    }

    var wrapCount: Int { state.withLock { $0.wrapCount } }
    var unwrapCount: Int { state.withLock { $0.unwrapCount } }

    /// Lets a late call answer.
    func release() { gate.signal() }

    func wrap(_ key: [UInt8], context: [UInt8]) async throws -> [UInt8] {
        state.withLock { $0.wrapCount += 1 }
        if fault == .fails { throw Refusal() }
        return try wrapped
            ?? key.withUnsafeBytes { try Cryptography.seal($0, with: secret, authenticating: context) }
    }

    func unwrap(_ wrapped: [UInt8], context: [UInt8]) async throws -> [UInt8] {
        state.withLock { $0.unwrapCount += 1 }
        switch fault {
        case .fails: throw Refusal()
        case .never: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        case .late: waitForRelease()
        case .anotherKey: return [UInt8](repeating: 9, count: 32)
        case .tooShort: return [UInt8](repeating: 9, count: 31)
        case .empty: return []
        case nil: break
        }
        guard let key = Cryptography.open(wrapped, with: secret, authenticating: context) else { throw Refusal() }
        return key.withUnsafeBytes { Array($0) }
    }

    /// The number of calls, at least so many: one whose time limit has passed may only be about to begin.
    func unwraps(atLeast count: Int) async throws -> Int {
        for _ in 0..<10_000 where unwrapCount < count { try await Task.sleep(for: .milliseconds(5)) }
        return unwrapCount
    }

    private func waitForRelease() { gate.wait() }
}

extension Key {
    /// An external key whose provider has the time that a slow machine needs.
    static func external(_ provider: ImitatedProvider) throws -> Key { try external(provider, timeout: .seconds(60)) }

    /// An external key whose provider is not waited for.
    static func impatient(_ provider: ImitatedProvider) throws -> Key {
        try external(provider, timeout: .milliseconds(20))
    }
}
