/// The cryptographic functions for keys, envelopes and page checks. Each function has two implementations, of which one
/// is compiled: on Linux OpenSSL's libcrypto, which SQLCipher itself uses there; elsewhere, and with the trait
/// `SwiftCrypto`, swift-crypto. No algorithm is implemented here.
enum Cryptography {
    static let keyLength = 32
    /// The length of AES-GCM's nonce, in bytes; it precedes the ciphertext in the result of
    /// ``seal(_:with:nonce:authenticating:)``.
    static let nonceLength = 12
    /// The length of AES-GCM's tag, in bytes; it follows the ciphertext.
    static let tagLength = 16

    /// Derives a key by HKDF-SHA256 (RFC 5869).
    static func expand(_ secret: SecretBytes, salt: [UInt8] = [], _ purpose: String, count: Int) -> SecretBytes {
        hkdf(secret, salt: salt, info: Array(purpose.utf8), count: count)
    }

    /// The secret of two key pairs by X25519 (RFC 7748).
    ///
    /// - Returns: Nil for a point of low order, with which the secret would be zero for each private key.
    static func agree(_ privateKey: SecretBytes, _ publicKey: [UInt8]) -> SecretBytes? {
        guard let secret = x25519(privateKey, publicKey) else { return nil }
        return secret == SecretBytes(count: secret.count) { _ in } ? nil : secret
    }
}

/// Digests and authentication codes, also for the other modules of this package.
package enum Digests {
    package static let length = 32

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        let digest = PartwiseDigest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    /// The HMAC-SHA256 of bytes.
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        guard let authentication = try? MessageAuthentication(key: SecretBytes(key), hash: .sha256) else {
            preconditionFailure("libcrypto has no HMAC-SHA256, or there is no memory.")
        }
        return bytes.withUnsafeBytes { authentication.withCode(of: $0) { [UInt8]($0) } }
    }
}

/// Secret bytes in a separate allocation, which is overwritten when the last copy is released.
package struct SecretBytes: Sendable {
    private let storage: WipedMemory

    package init(_ bytes: UnsafeRawBufferPointer) {
        storage = WipedMemory(count: bytes.count)
        storage.bytes.copyMemory(from: bytes)
    }

    /// Copies bytes; the caller's array is not overwritten.
    package init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { SecretBytes($0) }
    }

    /// Allocates memory and fills it, without an intermediate copy.
    ///
    /// - Parameter fill: Writes all bytes, which are initially zero.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        storage = WipedMemory(count: count)
        try fill(storage.bytes)
    }

    static func random(count: Int) -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return SecretBytes(count: count) { bytes in
            for index in bytes.indices { bytes[index] = generator.next() }
        }
    }

    var count: Int { storage.bytes.count }

    package func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(storage.bytes))
    }
}

extension SecretBytes: Equatable {
    /// Compares in a time that depends only on the number of bytes.
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { Cryptography.isEqual(left, $0) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    /// Never contains the bytes.
    package var description: String { "SecretBytes(\(count))" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
