import Foundation
import Synchronization

/// What a key of a chain wraps data keys with.
struct WrappingKey: Sendable {
    let derivation: SlotDerivation
    let fingerprint: KeyFingerprint
    /// The key of AES-256-GCM.
    let secret: SecretBytes

    /// Derives; takes a passphrase's whole cost.
    ///
    /// - Throws: ``StrongroomError`` with `outOfMemory`, or `invalidKey` for a key that does not suit the derivation.
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

    /// Whether a slot is this key's; another derivation's is not, whatever its fingerprint.
    func fits(_ slot: EnvelopeSlot) -> Bool {
        slot.fingerprint == fingerprint && slot.derivation == derivation
    }

    private static func scrypt(_ passphrase: SecretBytes, _ cost: ScryptCost, _ salt: [UInt8]) throws -> SecretBytes {
        do {
            return try Cryptography.scrypt(
                passphrase, salt: salt, rounds: cost.rounds, blockSize: Int(ScryptCost.blockSize),
                parallelism: Int(cost.parallelism), count: Cryptography.keyLength)
        } catch {
            // The numbers are permitted ones, so memory is what is lacking, where the cryptography has scrypt at all.
            throw StrongroomError(
                .outOfMemory,
                """
                A passphrase's derivation by scrypt needs \(cost.rounds / 1024) MiB of memory, which could not be had. \
                Free memory, then try again; OpenSSL's FIPS provider has no scrypt.
                """)
        }
    }
}

/// The wrapping keys that have been derived, so that a passphrase costs its derivation once.
struct WrappingKeys: Sendable {
    // A list: a key has no hash, and there are few.
    private var known: [(key: Key, wrapping: WrappingKey)] = []

    /// A key's wrapping key.
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
