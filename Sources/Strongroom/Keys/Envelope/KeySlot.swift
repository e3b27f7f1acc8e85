public import Foundation
import Synchronization

/// The slot of a key in the envelope of a database, as listed.
///
/// Label and date are stored in plaintext in the sidecar; they are authenticated, so that a change is detected.
public struct KeySlot: Sendable, Hashable {
    /// Identifies the key without revealing it.
    public let fingerprint: KeyFingerprint
    /// The label given when the slot was created.
    public let label: String
    /// When the slot was created, to the second.
    public let created: Date
    /// Whether it is the slot of a recovery key.
    public let isRecovery: Bool
    /// Whether this version does not know its kind, which a newer one has added. Its key does not open the database
    /// here. The slot is kept as it is, and can be revoked; it cannot be rewritten for another data key.
    public let isUnknown: Bool
}

extension KeySlot {
    /// Fingerprint, label and use, for messages.
    var summary: String {
        let remarks = [
            label.isEmpty ? nil : label, isRecovery ? "recovery key" : nil,
            isUnknown ? "of a kind that only a newer version can use" : nil,
        ].compactMap(\.self)
        return remarks.isEmpty ? "\(fingerprint)" : "\(fingerprint) (\(remarks.joined(separator: ", ")))"
    }
}

/// Identifies a key of an envelope, such as `9f3c-01ab-77de-4e20`.
///
/// It is computed from the result of a passphrase's slow derivation, so it does not make guesses cheaper. The same key
/// has another fingerprint in each database.
///
/// ```swift
/// let fingerprint = KeyFingerprint("9f3c-01ab-77de-4e20")
/// ```
public struct KeyFingerprint: Sendable, Hashable {
    static let length = 8

    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension KeyFingerprint: LosslessStringConvertible {
    /// Parses the printed form.
    ///
    /// - Parameter description: 16 hexadecimal digits of either case, with or without hyphens.
    public init?(_ description: String) {
        var digits: [UInt8] = []
        for character in description where character != "-" {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            digits.append(UInt8(digit))
        }
        guard digits.count == 2 * Self.length else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// 16 hexadecimal digits in four groups.
    public var description: String {
        stride(from: 0, to: bytes.count, by: 2).map { bytes[$0..<$0 + 2].hexadecimal }.joined(separator: "-")
    }
}

/// How the wrapping key is derived from a slot's key.
enum SlotDerivation: Sendable, Hashable {
    /// HKDF-SHA256, for raw keys: a random key needs no slow derivation.
    case raw(salt: [UInt8])
    /// scrypt, for passphrases: each guess costs time and memory.
    case scrypt(ScryptCost, salt: [UInt8])
    /// What a slot of an unknown kind has instead, as stored.
    case unknown([UInt8])

    static let saltLength = 16

    /// Whether a key can use this derivation.
    func suits(_ key: Key) -> Bool {
        switch (self, key.material) {
        case (.scrypt, .passphrase), (.raw, .raw): true
        default: false
        }
    }
}

/// The cost of a guess of a passphrase.
struct ScryptCost: Sendable, Hashable {
    /// Binary logarithm of the rounds.
    let roundsLogarithm: UInt8
    let parallelism: UInt8

    /// 64 MiB, and 0.24 s on a server's core in an optimised build (several times that in a debug build, whose
    /// cryptography is not optimised): one of the minimum combinations in OWASP's "Password Storage Cheat Sheet".
    static let standard = ScryptCost(roundsLogarithm: 16, parallelism: 2)

    /// The block size that is generally recommended.
    static let blockSize: UInt8 = 8

    var rounds: Int { 1 << Int(roundsLogarithm) }

    /// 1 MiB to 256 MiB: a forged sidecar must not exhaust the memory or occupy the processor for long.
    var isPermitted: Bool { (10...18).contains(roundsLogarithm) && (1...4).contains(parallelism) }

    /// Whether a guess costs at least as much.
    func isAtLeast(_ other: ScryptCost) -> Bool {
        rounds >= other.rounds && rounds * Int(parallelism) >= other.rounds * Int(other.parallelism)
    }
}

extension SlotDerivation {
    private enum Kind: UInt8 {
        case raw = 1
        case scrypt = 2
    }

    /// The number of bytes behind the slot's tag, which only kinds have that a newer version has added.
    var additionalLength: Int {
        guard case .unknown(let stored) = self else { return 0 }
        return Int(stored[2]) << 8 | Int(stored[3])
    }

    /// Kind, three numbers, salt.
    var bytes: [UInt8] {
        switch self {
        case .raw(let salt): [Kind.raw.rawValue, 0, 0, 0] + salt
        case .scrypt(let cost, let salt):
            [Kind.scrypt.rawValue, cost.roundsLogarithm, ScryptCost.blockSize, cost.parallelism] + salt
        case .unknown(let stored): stored
        }
    }

    init(reading reader: inout StoredReader) throws {
        let numbers = try reader.bytes(4)
        let salt = try reader.bytes(Self.saltLength)
        let cost = ScryptCost(roundsLogarithm: numbers[1], parallelism: numbers[3])
        switch Kind(rawValue: numbers[0]) {
        case .raw where numbers == [Kind.raw.rawValue, 0, 0, 0]: self = .raw(salt: salt)
        case .scrypt where cost.isPermitted && numbers[2] == ScryptCost.blockSize: self = .scrypt(cost, salt: salt)
        case nil where numbers[0] > 0: self = .unknown(numbers + salt)
        default: throw EnvelopeDefect.damaged("a slot's derivation is invalid")
        }
    }
}

/// The key with which a key of a chain wraps data keys.
struct WrappingKey: Sendable {
    /// The key of the chain.
    private let key: Key
    let derivation: SlotDerivation
    let fingerprint: KeyFingerprint
    /// The key of AES-256-GCM.
    let secret: SecretBytes

    /// Derives the key; for a passphrase this takes the full cost.
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

extension [WrappingKey] {
    /// The wrapping key of a key, which is added if it is not among these, so that a passphrase is derived once.
    mutating func key(for key: Key, _ derivation: SlotDerivation) throws -> WrappingKey {
        // A list, because a key has no hash and there are few.
        if let found = first(where: { $0.belongs(to: key, derivation) }) { return found }
        let wrapping = try WrappingKey(key, derivation)
        append(wrapping)
        return wrapping
    }
}
