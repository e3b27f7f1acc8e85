import Foundation

/// The keys of a database, oldest first.
///
/// The last key is the current one, with which new files are encrypted. The others only open files that have not been
/// rotated yet, or, with ``Key/plaintext`` as the first one, files that have not been encrypted yet.
///
/// ```swift
/// func keyChain(for database: DatabaseName) async throws -> KeyChain {
///     try KeyChain(.passphrase(oldSecret), .passphrase(currentSecret))
/// }
/// ```
public struct KeyChain: Sendable, Equatable {
    /// The keys, oldest first; empty for plaintext.
    let keys: [Key]

    /// Explicitly no encryption.
    public static let plaintext = KeyChain(unchecked: [])

    /// Makes a chain.
    ///
    /// - Parameter keys: The keys, oldest first, newest last.
    /// - Throws: ``StrongroomError`` with `invalidKey` for no key, an empty passphrase, a raw key
    ///   that is not 32 bytes long, a salt that is not 16 bytes long, a key that occurs in the chain twice, a
    ///   public key beside its private key, ``Key/plaintext`` at another position than the first, or a last key that
    ///   may only open files.
    public init(_ keys: Key...) throws {
        try self.init(keys)
    }

    /// Makes a chain from a list.
    ///
    /// - Parameter keys: The keys, oldest first, newest last.
    /// - Throws: As `init`.
    public init(_ keys: [Key]) throws {
        guard !keys.isEmpty else {
            throw StrongroomError(
                .invalidKey,
                """
                The key chain is empty. Give at least one key, or use `KeyChain.plaintext` for an unencrypted file.
                """
            )
        }
        for (index, key) in keys.enumerated() {
            if let defect = key.defect {
                throw StrongroomError(.invalidKey, "Key \(index + 1) of the chain cannot be used: \(defect).")
            }
            if let duplicate = keys[..<index].firstIndex(where: key.isSame(as:)) {
                let relation = keys[duplicate] == key ? "the same" : "of one pair"
                throw StrongroomError(
                    .invalidKey,
                    "Keys \(duplicate + 1) and \(index + 1) of the chain are \(relation); remove one.")
            }
            if index > 0, key == .plaintext {
                throw StrongroomError(
                    .invalidKey,
                    """
                    Key \(index + 1) of the chain is `Key.plaintext`, which can only be the first one: a file that was \
                    encrypted never becomes plaintext again. Put it first, or remove it.
                    """
                )
            }
        }
        if let last = keys.last, !last.canBeCurrent { throw Self.onlyOpens(last, keys.count) }
        self.keys = keys
    }

    /// Makes a chain of keys that need no check, such as an envelope's data keys.
    init(unchecked keys: [Key]) {
        self.keys = keys
    }

    private static func onlyOpens(_ key: Key, _ index: Int) -> StrongroomError {
        let reason =
            if key == .plaintext {
                "`Key.plaintext`; add the key that the file is to get, or use `KeyChain.plaintext` for a file that "
                    + "stays unencrypted"
            } else if key.looksRaw {
                "a passphrase in SQLCipher's notation of raw keys, x'…', which other programs take for a raw key; "
                    + "give `Key.raw` its bytes and salt, or write `raw:` and the digits in a list of keys"
            } else if key.isPublicKey {
                "a public key, which opens nothing; put it before the key that opens the database"
            } else {
                "a passphrase as CTPersistance cut it, which only opens its files; add the key that they are to get"
            }
        return StrongroomError(.invalidKey, "The last key of the chain, key \(index), is \(reason).")
    }

    /// Whether a key is a public one, whose slot a rotation keeps.
    package func isPublicKey(at position: Int) -> Bool { keys[position].isPublicKey }

    /// The key of new files; nil for plaintext.
    package var current: Key? { keys.last }

    package var opensPlaintext: Bool { keys.first.map { $0 == .plaintext } ?? true }

    /// The number of keys; 0 for plaintext.
    public var count: Int { keys.count }

    /// Whether the chain is for an unencrypted file.
    public var isPlaintext: Bool { keys.isEmpty }
}

extension KeyChain {
    /// For each key of the chain, oldest first, eight hexadecimal digits that identify it to people. They reveal
    /// nothing about a raw key, and at most 32 bits about a passphrase, each guess of which costs a slow derivation.
    ///
    /// The same key has the same digits in every chain and on every machine.
    package func fingerprints() throws -> [String] { try keys.map { try $0.fingerprint() } }
}

extension Key {
    private static let salt = Array("strongroom key fingerprint 1".utf8)
    private static let rounds = 600_000

    fileprivate func fingerprint() throws -> String {
        let (material, kind): (SecretBytes, UInt8)
        switch self.material {
        case .passphrase(let passphrase): (material, kind) = (passphrase, 1)
        case .truncated(let passphrase): (material, kind) = (passphrase, 2)
        case .raw(let raw, _): (material, kind) = (raw, 3)
        case .external(let external): (material, kind) = (SecretBytes(Array(external.identifier.utf8)), 4)
        case .pair(let publicKey, _): (material, kind) = (SecretBytes(publicKey), 5)
        case .plaintext: return "plaintext"
        case .invalid(let reason): throw StrongroomError(.invalidKey, "The key cannot be used: \(reason).")
        }
        let digest = try material.withUnsafeBytes { bytes in
            try Cryptography.pbkdf2(
                bytes, salt: Self.salt + [kind], hash: .sha512, rounds: Self.rounds, count: 16)
        }
        return digest.withUnsafeBytes { $0.prefix(4).hexadecimal }
    }
}
