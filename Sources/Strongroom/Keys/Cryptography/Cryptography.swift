/// The cryptography that keys, envelopes and page checks need. Each function has two implementations, of which one is
/// compiled: on Linux OpenSSL's libcrypto, which SQLCipher itself uses there; elsewhere, and with the trait
/// `SwiftCrypto`, swift-crypto. Nothing is implemented here.
enum Cryptography {
    /// Bytes of a SHA-256 digest, and of a code of HMAC-SHA256.
    static let digestLength = 32
    /// Bytes of the keys of AES-256.
    static let keyLength = 32
    /// Bytes of AES-GCM's nonce, at the beginning of what ``seal(_:with:authenticating:)`` returns.
    static let nonceLength = 12
    /// Bytes of AES-GCM's tag, at the end of it.
    static let tagLength = 16

    /// Derives a key by HKDF-SHA256 (RFC 5869).
    ///
    /// - Parameters:
    ///   - secret: The input key material.
    ///   - salt: The salt; empty for none.
    ///   - purpose: The info that tells the derived keys apart.
    ///   - count: Bytes.
    static func expand(_ secret: SecretBytes, salt: [UInt8] = [], _ purpose: String, count: Int) -> SecretBytes {
        hkdf(secret, salt: salt, info: Array(purpose.utf8), count: count)
    }
}
