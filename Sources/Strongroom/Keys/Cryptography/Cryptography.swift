/// The cryptographic functions for keys, envelopes and page checks. Each function has two implementations, of which one
/// is compiled: on Linux OpenSSL's libcrypto, which SQLCipher itself uses there; elsewhere, and with the trait
/// `SwiftCrypto`, swift-crypto. No algorithm is implemented here.
enum Cryptography {
    /// The length of a SHA-256 digest and of an HMAC-SHA256, in bytes.
    static let digestLength = 32
    /// The length of an AES-256 key, in bytes.
    static let keyLength = 32
    /// The length of AES-GCM's nonce, in bytes; it precedes the ciphertext in the result of
    /// ``seal(_:with:authenticating:)``.
    static let nonceLength = 12
    /// The length of AES-GCM's tag, in bytes; it follows the ciphertext.
    static let tagLength = 16

    /// Derives a key by HKDF-SHA256 (RFC 5869).
    ///
    /// - Parameters:
    ///   - secret: The input key material.
    ///   - salt: The salt; empty for none.
    ///   - purpose: The info parameter, which distinguishes the derived keys.
    ///   - count: The length of the derived key, in bytes.
    static func expand(_ secret: SecretBytes, salt: [UInt8] = [], _ purpose: String, count: Int) -> SecretBytes {
        hkdf(secret, salt: salt, info: Array(purpose.utf8), count: count)
    }
}
