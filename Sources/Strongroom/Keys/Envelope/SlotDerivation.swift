/// How the wrapping key is derived from a slot's key.
enum SlotDerivation: Sendable, Hashable {
    /// HKDF-SHA256, for raw keys: a random key needs no slow derivation.
    case raw(salt: [UInt8])
    /// scrypt, for passphrases: each guess costs time and memory.
    case scrypt(ScryptCost, salt: [UInt8])

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

    /// Kind, three numbers, salt.
    var bytes: [UInt8] {
        switch self {
        case .raw(let salt): [Kind.raw.rawValue, 0, 0, 0] + salt
        case .scrypt(let cost, let salt):
            [Kind.scrypt.rawValue, cost.roundsLogarithm, ScryptCost.blockSize, cost.parallelism] + salt
        }
    }

    init(reading reader: inout StoredReader) throws {
        let numbers = try reader.bytes(4)
        let salt = try reader.bytes(Self.saltLength)
        let cost = ScryptCost(roundsLogarithm: numbers[1], parallelism: numbers[3])
        switch Kind(rawValue: numbers[0]) {
        case .raw where numbers == [Kind.raw.rawValue, 0, 0, 0]: self = .raw(salt: salt)
        case .scrypt where cost.isPermitted && numbers[2] == ScryptCost.blockSize: self = .scrypt(cost, salt: salt)
        default: throw EnvelopeDefect.damaged("a slot's derivation is none that there is")
        }
    }
}
