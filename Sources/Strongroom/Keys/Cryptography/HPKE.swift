/// The keys of one message of hybrid public key encryption (RFC 9180): base mode, DHKEM(X25519, HKDF-SHA256),
/// HKDF-SHA256, AES-256-GCM.
struct HPKE {
    /// The public key of the pair that was made for the message.
    let encapsulated: [UInt8]
    /// The key of AES-256-GCM.
    let key: SecretBytes
    /// The nonce of the first message; there must not be another one.
    let nonce: [UInt8]

    /// The length of X25519's keys, in bytes.
    static let keyLength = 32
    /// The public key of a private key is its product with this one.
    private static let basePoint: [UInt8] = [9] + [UInt8](repeating: 0, count: keyLength - 1)

    /// The keys of a new message; nil for a public key that no private key has, a point of low order.
    ///
    /// - Parameters:
    ///   - info: What the message is for.
    ///   - ephemeral: A private key for this message only.
    init?(to publicKey: [UInt8], info: String, ephemeral: SecretBytes = .random(count: keyLength)) throws {
        guard let encapsulated = Self.publicKey(of: ephemeral),
            let shared = Cryptography.agree(ephemeral, publicKey)
        else { return nil }
        try self.init(shared, encapsulated, publicKey, info)
    }

    /// The keys of a message that has come; nil if its encapsulated key is a point of low order.
    init?(from encapsulated: [UInt8], to publicKey: [UInt8], _ privateKey: SecretBytes, info: String) throws {
        guard let shared = Cryptography.agree(privateKey, encapsulated) else { return nil }
        try self.init(shared, encapsulated, publicKey, info)
    }

    /// Whether a public key is the only form of its point, below 2²⁵⁵ − 19: X25519 takes others for the same, but a
    /// message to one is not opened, since its keys are derived from the form.
    static func isCanonical(_ publicKey: [UInt8]) -> Bool {
        guard let first = publicKey.first, let last = publicKey.last, last <= 0x7F else { return false }
        return first < 0xED || last < 0x7F || publicKey[1..<keyLength - 1].contains { $0 != 0xFF }
    }

    static func publicKey(of privateKey: SecretBytes) -> [UInt8]? {
        Cryptography.agree(privateKey, basePoint)?.withUnsafeBytes { Array($0) }
    }

    /// The shared secret of the KEM (RFC 9180, section 4.1), then the key schedule (section 5.1).
    private init(_ shared: SecretBytes, _ encapsulated: [UInt8], _ publicKey: [UInt8], _ info: String) throws {
        let encapsulation = Suite(identifier: Array("KEM".utf8) + [0, 0x20])
        let secret = try encapsulation.expand(
            encapsulation.extract(Suite.empty, "eae_prk", shared), "shared_secret", encapsulated + publicKey, count: 32)
        let suite = Suite(identifier: Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, 2])
        let context = try [
            suite.extract(Suite.empty, "psk_id_hash", SecretBytes([])),
            suite.extract(Suite.empty, "info_hash", SecretBytes(Array(info.utf8))),
        ].reduce([0]) { context, hash in context + hash.withUnsafeBytes { Array($0) } }
        let schedule = try suite.extract(secret, "secret", SecretBytes([]))
        self.encapsulated = encapsulated
        key = try suite.expand(schedule, "key", context, count: Cryptography.keyLength)
        nonce = try suite.expand(schedule, "base_nonce", context, count: Cryptography.nonceLength)
            .withUnsafeBytes { Array($0) }
    }
}

/// The labelled functions of RFC 9180, section 4, with the identifier of a suite.
private struct Suite {
    let identifier: [UInt8]

    /// An empty salt: HMAC fills keys with zeros.
    static let empty = SecretBytes([UInt8](repeating: 0, count: 32))

    func extract(_ salt: SecretBytes, _ label: String, _ input: SecretBytes) throws -> SecretBytes {
        try hmac(salt, Array("HPKE-v1".utf8) + identifier + label.utf8, input)
    }

    /// - Parameter count: At most 32, so that there is one block.
    func expand(_ secret: SecretBytes, _ label: String, _ info: [UInt8], count: Int) throws -> SecretBytes {
        let text = UInt16(count).bigEndianBytes + "HPKE-v1".utf8 + identifier + label.utf8 + info + [1]
        return try hmac(secret, text, SecretBytes([]), count: count)
    }

    private func hmac(
        _ key: SecretBytes, _ first: [UInt8], _ second: SecretBytes, count: Int = 32
    ) throws -> SecretBytes {
        let authentication = try MessageAuthentication(key: key, hash: .sha256)
        return first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                authentication.withCode(of: first, second) {
                    SecretBytes(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
            }
        }
    }
}
