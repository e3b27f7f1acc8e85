import Foundation
import Synchronization

/// The key with which a key of a chain wraps data keys.
struct WrappingKey: Sendable {
    let derivation: SlotDerivation
    let fingerprint: KeyFingerprint
    /// The key of AES-256-GCM.
    let secret: SecretBytes

    /// Derives the key; for a passphrase this takes the full cost.
    ///
    /// - Throws: ``StrongroomError`` with `outOfMemory`, or `invalidKey` for a key that cannot use the derivation.
    init(_ key: Key, _ derivation: SlotDerivation) throws {
        let derived: SecretBytes
        switch (key.material, derivation) {
        case (.passphrase(let passphrase), .scrypt(let cost, let salt)):
            DerivedKey.derivations.add(1, ordering: .relaxed)
            derived = try Self.scrypt(passphrase, cost, salt)
        case (.raw(let raw, _), .raw(let salt)):
            derived = Cryptography.expand(
                raw, salt: salt, "strongroom envelope: raw key", count: Cryptography.keyLength)
        default:
            throw StrongroomError(.invalidKey, "The key cannot be used in an envelope: \(key.defect ?? "\(key)").")
        }
        self.derivation = derivation
        secret = Cryptography.expand(derived, "strongroom envelope: wrapping", count: Cryptography.keyLength)
        fingerprint = KeyFingerprint(
            bytes: Cryptography.expand(derived, "strongroom envelope: fingerprint", count: KeyFingerprint.length)
                .withUnsafeBytes { Array($0) })
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
                A passphrase's derivation by scrypt needs \(cost.rounds / 1024) MiB of memory, which could not be had. \
                Free memory, then try again; OpenSSL's FIPS provider has no scrypt.
                """)
        }
    }
}

/// A cache of derived wrapping keys, so that a passphrase is derived once.
struct WrappingKeys: Sendable {
    // A list, because a key has no hash and there are few.
    private var known: [(key: Key, wrapping: WrappingKey)] = []

    /// The wrapping key of a key.
    mutating func key(for key: Key, _ derivation: SlotDerivation) throws -> WrappingKey {
        if let found = known.first(where: { $0.wrapping.derivation == derivation && $0.key == key }) {
            return found.wrapping
        }
        let wrapping = try WrappingKey(key, derivation)
        known.append((key, wrapping))
        return wrapping
    }
}

extension WrappingKey: CustomStringConvertible, CustomReflectable {
    var description: String { "WrappingKey(\(fingerprint))" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension WrappingKeys: CustomStringConvertible, CustomReflectable {
    var description: String { "WrappingKeys(\(known.count))" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
