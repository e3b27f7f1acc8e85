public import Foundation

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
    /// The identifier of the provider and its key (``KeyProvider/identifier``), for the slot of an external key; nil
    /// for another one.
    public let externalIdentifier: String?
    /// The public key as PEM, for a slot that its private key opens (``Key/publicKey(pem:)``); nil for another one.
    public let publicKey: String?
}

extension KeySlot {
    /// Fingerprint, label and use, for messages.
    var summary: String {
        let remarks = [
            label.isEmpty ? nil : label, isRecovery ? "recovery key" : nil,
            externalIdentifier.map { "external key \"\($0)\"" }, publicKey.map { _ in "public key" },
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
    /// None: a provider unwraps the key.
    case external(WrappedKey)
    /// HPKE, for key pairs: the public key, and the encapsulated key.
    case sealed(publicKey: [UInt8], encapsulated: [UInt8])
    /// What a slot of an unknown kind has instead, as stored, and its further bytes.
    case unknown([UInt8], further: [UInt8])

    static let saltLength = 16

    /// The key that a provider has wrapped.
    var wrapped: WrappedKey? {
        guard case .external(let wrapped) = self else { return nil }
        return wrapped
    }

    /// The key to whose pair a slot is sealed.
    var publicKey: [UInt8]? {
        guard case .sealed(let publicKey, _) = self else { return nil }
        return publicKey
    }

    /// Whether the library derives the slot's key by itself.
    var isComputed: Bool {
        switch self {
        case .raw, .scrypt: true
        case .external, .sealed, .unknown: false
        }
    }

    /// Whether a key can use this derivation.
    func suits(_ key: Key) -> Bool {
        switch (self, key.material) {
        case (.external(let wrapped), .external(let external)): wrapped.identifier == external.identifier
        case (.sealed(let sealedTo, _), .pair(let publicKey, _)): sealedTo == publicKey
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
        case external = 3
        case sealed = 4
    }

    /// The number of ``bytes``.
    static let length = 4 + saltLength

    /// Kind, three numbers, salt.
    var bytes: [UInt8] {
        switch self {
        case .raw(let salt): [Kind.raw.rawValue, 0, 0, 0] + salt
        case .scrypt(let cost, let salt):
            [Kind.scrypt.rawValue, cost.roundsLogarithm, ScryptCost.blockSize, cost.parallelism] + salt
        case .external(let wrapped):
            [Kind.external.rawValue, UInt8(wrapped.identifier.utf8.count)] + UInt16(further.count).bigEndianBytes
                + [UInt8](repeating: 0, count: Self.saltLength)
        case .sealed:
            [Kind.sealed.rawValue, 0] + UInt16(further.count).bigEndianBytes
                + [UInt8](repeating: 0, count: Self.saltLength)
        case .unknown(let stored, _): stored
        }
    }

    /// The bytes behind the slot's tag, which the kinds from 3 on have.
    var further: [UInt8] {
        switch self {
        case .raw, .scrypt: []
        case .external(let wrapped): wrapped.identifier.utf8 + wrapped.bytes
        case .sealed(let publicKey, let encapsulated): publicKey + encapsulated
        case .unknown(_, let further): further
        }
    }

    /// The number of ``further`` bytes, by ``bytes``.
    static func furtherCount(_ bytes: [UInt8]) -> Int {
        bytes[0] < Kind.external.rawValue ? 0 : Int(bytes[2]) << 8 | Int(bytes[3])
    }

    init(_ bytes: [UInt8], further: [UInt8]) throws {
        let salt = Array(bytes.dropFirst(4))
        let cost = ScryptCost(roundsLogarithm: bytes[1], parallelism: bytes[3])
        switch Kind(rawValue: bytes[0]) {
        case .raw where bytes.starts(with: [Kind.raw.rawValue, 0, 0, 0]): self = .raw(salt: salt)
        case .scrypt where cost.isPermitted && bytes[2] == ScryptCost.blockSize: self = .scrypt(cost, salt: salt)
        case .external where salt.allSatisfy { $0 == 0 }:
            self = .external(try WrappedKey(further, identifierLength: Int(bytes[1])))
        case .sealed where bytes[1] == 0 && salt.allSatisfy { $0 == 0 } && further.count == 2 * HPKE.keyLength:
            self = .sealed(
                publicKey: Array(further.prefix(HPKE.keyLength)), encapsulated: Array(further.suffix(HPKE.keyLength)))
        case nil where bytes[0] > 0: self = .unknown(bytes, further: further)
        default: throw EnvelopeDefect.damaged("a slot's derivation is invalid")
        }
    }
}

extension WrappedKey {
    /// Reads the further bytes of a slot.
    fileprivate init(_ further: [UInt8], identifierLength: Int) throws {
        guard identifierLength > 0, further.count > identifierLength,
            further.count - identifierLength <= ExternalKey.longestWrappedKey,
            let identifier = String(validating: further.prefix(identifierLength), as: UTF8.self),
            !identifier.hasControlCharacter
        else { throw EnvelopeDefect.damaged("a slot's external key is invalid") }
        self.init(identifier: identifier, bytes: Array(further.dropFirst(identifierLength)))
    }
}
