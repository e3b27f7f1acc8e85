import Synchronization

/// The key with which a key of a chain wraps data keys.
struct WrappingKey: Sendable {
    /// The key of the chain.
    private let key: Key
    let derivation: SlotDerivation
    let fingerprint: KeyFingerprint
    /// The key of AES-256-GCM.
    let secret: SecretBytes
    /// The nonce that HPKE gives a new message; nil for a random one.
    private(set) var nonce: [UInt8]?

    /// What HPKE binds the message to, and the fingerprint of a public key is derived for.
    private static let purposeOfPairs = "strongroom envelope: public key"

    /// Derives the key; for a passphrase this takes the full cost, for an external key the provider's time.
    ///
    /// - Parameter context: The database's salt.
    init(_ key: Key, _ derivation: SlotDerivation, context: [UInt8]) throws {
        let derived: SecretBytes
        switch (key.material, derivation) {
        case (.passphrase(let passphrase), .scrypt(let cost, let salt)):
            DerivedKey.derivations.add(1, ordering: .relaxed)
            derived = try Self.scrypt(passphrase, cost, salt)
        case (.raw(let raw, _), .raw(let salt)):
            derived = Cryptography.expand(
                raw, salt: salt, "strongroom envelope: raw key", count: Cryptography.keyLength)
        case (.external(let external), .external(let wrapped)):
            derived = try external.unwrap(wrapped.bytes, context: context)
        case (.pair(let publicKey, let privateKey?), .sealed(_, let encapsulated)):
            let sealed = try HPKE(from: encapsulated, to: publicKey, privateKey, info: Self.purposeOfPairs)
            guard let sealed else { throw EnvelopeDefect.damaged("a slot's encapsulated key is invalid") }
            // Without the nonce: it is used up.
            self.init(key, derivation, sealed, publicKey, context: context)
            return
        default:
            throw StrongroomError(.invalidKey, "The key cannot be used in an envelope: \(key.defect ?? "\(key)").")
        }
        self.init(key, derivation, derived)
    }

    /// Makes a random key, and has it wrapped by a provider.
    ///
    /// - Parameters:
    ///   - key: The same key of the chain as `external`.
    ///   - context: The database's salt.
    init(wrappedBy external: ExternalKey, _ key: Key, context: [UInt8]) throws {
        let random = SecretBytes.random(count: Cryptography.keyLength)
        self.init(key, .external(try external.wrap(random, context: context)), random)
    }

    /// Makes the key of a new message to a public key.
    ///
    /// - Parameters:
    ///   - key: The key of the chain with this public key.
    ///   - context: The database's salt.
    init(sealedTo publicKey: [UInt8], _ key: Key, context: [UInt8]) throws {
        guard let sealed = try HPKE(to: publicKey, info: Self.purposeOfPairs) else { throw PEM.noPrivateKey }
        let derivation = SlotDerivation.sealed(publicKey: publicKey, encapsulated: sealed.encapsulated)
        self.init(key, derivation, sealed, publicKey, context: context)
        nonce = sealed.nonce
    }

    private init(
        _ key: Key, _ derivation: SlotDerivation, _ sealed: HPKE, _ publicKey: [UInt8], context: [UInt8]
    ) {
        (self.key, self.derivation, secret) = (key, derivation, sealed.key)
        fingerprint = Self.fingerprint(ofPublicKey: publicKey, context: context)
    }

    /// - Parameter context: The database's salt.
    static func fingerprint(ofPublicKey publicKey: [UInt8], context: [UInt8]) -> KeyFingerprint {
        KeyFingerprint(
            bytes: Cryptography.expand(
                SecretBytes(publicKey), salt: context, purposeOfPairs, count: KeyFingerprint.length
            ).withUnsafeBytes { Array($0) })
    }

    private init(_ key: Key, _ derivation: SlotDerivation, _ derived: SecretBytes) {
        (self.key, self.derivation) = (key, derivation)
        secret = Cryptography.expand(derived, "strongroom envelope: wrapping", count: Cryptography.keyLength)
        fingerprint = KeyFingerprint(
            bytes: Cryptography.expand(derived, "strongroom envelope: fingerprint", count: KeyFingerprint.length)
                .withUnsafeBytes { Array($0) })
    }

    fileprivate func belongs(to key: Key, _ derivation: SlotDerivation) -> Bool {
        self.derivation == derivation && self.key == key
    }

    /// Whether a slot belongs to this key; false for a slot with another derivation, whatever its fingerprint.
    func fits(_ slot: EnvelopeSlot) -> Bool {
        slot.fingerprint == fingerprint && slot.derivation == derivation
    }

    private static func scrypt(_ passphrase: SecretBytes, _ cost: ScryptCost, _ salt: [UInt8]) throws -> SecretBytes {
        do {
            return try Cryptography.scrypt(
                passphrase, salt: salt, rounds: cost.rounds, blockSize: Int(ScryptCost.blockSize),
                parallelism: Int(cost.parallelism), count: Cryptography.keyLength)
        } catch {
            // The parameters are permitted ones, so the cause is a lack of memory, or cryptography without scrypt.
            throw StrongroomError(
                .outOfMemory,
                """
                A passphrase's derivation by scrypt needs \(cost.rounds / 1024) MiB of memory, which is not available. \
                Free memory, then try again; OpenSSL's FIPS provider has no scrypt.
                """)
        }
    }
}

/// The wrapping keys that were derived, so that a passphrase is derived once, and a provider is asked once.
struct WrappingKeys: Sendable {
    private struct Failure {
        let key: Key
        let derivation: SlotDerivation
        let error: StrongroomError
    }

    // Lists, because a key has no hash and there are few.
    private var derived: [WrappingKey] = []
    private var failures: [Failure] = []

    /// The wrapping key of a key, which is added if it is not among these.
    ///
    /// - Parameter context: The database's salt.
    mutating func key(for key: Key, _ derivation: SlotDerivation, context: [UInt8]) throws -> WrappingKey {
        if let found = derived.first(where: { $0.belongs(to: key, derivation) }) { return found }
        // Another attempt would take the provider's time limit again.
        if let failure = failures.first(where: { $0.key == key && $0.derivation == derivation }) { throw failure.error }
        do {
            let wrapping = try WrappingKey(key, derivation, context: context)
            derived.append(wrapping)
            return wrapping
        } catch let error as StrongroomError where error.code == .keyProvider {
            failures.append(Failure(key: key, derivation: derivation, error: error))
            throw error
        }
    }

    /// A new wrapping key that a provider has wrapped.
    mutating func makeKey(wrappedBy external: ExternalKey, _ key: Key, context: [UInt8]) throws -> WrappingKey {
        let wrapping = try WrappingKey(wrappedBy: external, key, context: context)
        derived.append(wrapping)
        return wrapping
    }
}
