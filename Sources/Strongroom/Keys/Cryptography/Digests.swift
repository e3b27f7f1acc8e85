/// Digests and authentication codes for the other modules of this package.
package enum Digests {
    /// The length of a SHA-256 digest, in bytes.
    package static let length = 32

    /// The SHA-256 digest of bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { Cryptography.sha256(bytes) }

    /// The HMAC-SHA256 of bytes.
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        guard let authentication = try? MessageAuthentication(key: SecretBytes(key), hash: .sha256) else {
            preconditionFailure("libcrypto has no HMAC-SHA256, or there is no memory.")
        }
        return bytes.withUnsafeBytes { authentication.withCode(of: $0) { [UInt8]($0) } }
    }
}
