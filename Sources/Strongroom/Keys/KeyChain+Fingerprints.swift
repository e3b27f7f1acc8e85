import Foundation

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
        case .plaintext: return "plaintext"
        case .invalid(let reason): throw StrongroomError(.invalidKey, "The key cannot be used: \(reason).")
        }
        let digest = try material.withUnsafeBytes { bytes in
            try Cryptography.pbkdf2(
                bytes, salt: Self.salt + [kind], hash: .sha512, rounds: Self.rounds, count: 16)
        }
        return digest.withUnsafeBytes { bytes in
            bytes.prefix(4).map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        }
    }
}
