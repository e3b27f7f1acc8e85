/// How a slot's key becomes the key that wraps.
enum SlotDerivation: Sendable, Hashable {
    /// HKDF-SHA256, for raw keys: what is random needs nothing slow.
    case raw(salt: [UInt8])
    /// scrypt, for passphrases: a guess costs time and memory.
    case scrypt(ScryptCost, salt: [UInt8])

    static let saltLength = 16

    /// Whether a key can be that of a slot with this derivation.
    func suits(_ key: Key) -> Bool {
        switch (self, key.material) {
        case (.scrypt, .passphrase), (.raw, .raw): true
        default: false
        }
    }
}

/// What a guess of a passphrase costs.
struct ScryptCost: Sendable, Hashable {
    /// Binary logarithm of the rounds.
    let roundsLogarithm: UInt8
    let parallelism: UInt8

    /// 64 MiB, and 0.24 s of a server's core with optimisation (several times that in a debug build, whose cryptography
    /// is built without): one of the combinations that OWASP's "Password Storage Cheat Sheet" gives as the least.
    static let standard = ScryptCost(roundsLogarithm: 16, parallelism: 2)

    /// Nobody recommends another.
    static let blockSize: UInt8 = 8

    var rounds: Int { 1 << Int(roundsLogarithm) }

    /// 1 MiB to 256 MiB: a forged sidecar is not to take all memory or to keep the processor busy for long.
    var isPermitted: Bool { (10...18).contains(roundsLogarithm) && (1...4).contains(parallelism) }

    /// Whether guessing costs at least as much.
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

    init(reading reader: inout EnvelopeReader) throws {
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
