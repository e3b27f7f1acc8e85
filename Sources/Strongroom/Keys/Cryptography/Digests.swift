/// Digests and authentication codes for the other modules of this package.
package enum Digests {
    /// The length of a SHA-256 digest, in bytes.
    package static let length = 32

    /// The SHA-256 digest of bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { Cryptography.sha256(bytes) }

    /// The HMAC-SHA256 of bytes.
    ///
    /// - Throws: ``StrongroomError`` with `engine` if libcrypto fails.
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) throws -> [UInt8] {
        let authentication = try MessageAuthentication(key: SecretBytes(key), hash: .sha256)
        return bytes.withUnsafeBytes { authentication.withCode(of: $0) { [UInt8]($0) } }
    }
}
