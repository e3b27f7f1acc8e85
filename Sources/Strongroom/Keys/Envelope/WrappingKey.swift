import Crypto
import CryptoExtras
import Foundation
import Synchronization

/// What a key of a chain wraps data keys with.
struct WrappingKey: Sendable {
    let derivation: SlotDerivation
    let fingerprint: KeyFingerprint
    /// The key of AES-256-GCM.
    let secret: SymmetricKey

    /// Derives; takes a passphrase's whole cost.
    ///
    /// - Throws: ``StrongroomError`` with `outOfMemory`, or `invalidKey` for a key that does not suit the derivation.
    init(_ key: Key, _ derivation: SlotDerivation) throws {
        let derived: SymmetricKey
        switch (key.material, derivation) {
        case (.passphrase(let passphrase), .scrypt(let cost, let salt)):
            DerivedKey.derivations.add(1, ordering: .relaxed)
            derived = try Self.scrypt(passphrase, cost, salt)
        case (.raw(let raw, _), .raw(let salt)):
            derived = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: raw, salt: salt, info: Array("strongroom envelope: raw key".utf8), outputByteCount: 32
            )
        default:
            throw StrongroomError(.invalidKey, "The key cannot be used in an envelope: \(key.defect ?? "\(key)").")
        }
        self.derivation = derivation
        secret = Self.expand(derived, "strongroom envelope: wrapping", 32)
        fingerprint = KeyFingerprint(
            bytes: Self.expand(derived, "strongroom envelope: fingerprint", KeyFingerprint.length)
                .withUnsafeBytes { Array($0) })
    }

    /// Whether a slot is this key's; another derivation's is not, whatever its fingerprint.
    func fits(_ slot: EnvelopeSlot) -> Bool {
        slot.fingerprint == fingerprint && slot.derivation == derivation
    }

    private static func expand(_ key: SymmetricKey, _ purpose: String, _ length: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array(purpose.utf8), outputByteCount: length)
    }

    private static func scrypt(_ passphrase: SymmetricKey, _ cost: ScryptCost, _ salt: [UInt8]) throws -> SymmetricKey {
        do {
            return try passphrase.withUnsafeBytes { bytes in
                try KDF.Scrypt.deriveKey(
                    from: bytes,
                    salt: salt,
                    outputByteCount: 32,
                    rounds: cost.rounds,
                    blockSize: Int(ScryptCost.blockSize),
                    parallelism: Int(cost.parallelism)
                )
            }
        } catch {
            // The numbers are permitted ones, so memory is all that can be lacking.
            throw StrongroomError(
                .outOfMemory,
                "A passphrase's derivation needs \(cost.rounds / 1024) MiB of memory, which could not be had. Free memory, then try again."
            )
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
