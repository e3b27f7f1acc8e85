#if !canImport(CLibCrypto) || SwiftCrypto
import Crypto
import CryptoExtras
import Foundation

extension Cryptography {
    /// Whether two buffers are equal, in a time that depends only on their lengths.
    static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        SymmetricKey(data: left) == SymmetricKey(data: right)
    }

    /// Derives a key by PBKDF2 (RFC 8018).
    static func pbkdf2(
        _ secret: UnsafeRawBufferPointer, salt: [UInt8], hash: CipherSettings.Hash, rounds: Int, count: Int
    ) throws -> SecretBytes {
        SecretBytes(
            try KDF.Insecure.PBKDF2.deriveKey(
                from: secret, salt: salt, using: hash.function, outputByteCount: count, unsafeUncheckedRounds: rounds))
    }

    /// Derives a key by scrypt (RFC 7914).
    static func scrypt(
        _ secret: SecretBytes, salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int, count: Int
    ) throws -> SecretBytes {
        try secret.withUnsafeBytes { secret in
            SecretBytes(
                try KDF.Scrypt.deriveKey(
                    from: secret, salt: salt, outputByteCount: count, rounds: rounds, blockSize: blockSize,
                    parallelism: parallelism))
        }
    }

    static func hkdf(_ secret: SecretBytes, salt: [UInt8], info: [UInt8], count: Int) -> SecretBytes {
        SecretBytes(
            HKDF<SHA256>.deriveKey(inputKeyMaterial: secret.key, salt: salt, info: info, outputByteCount: count))
    }

    /// The result of X25519, which may be zero; nil if swift-crypto refuses.
    static func x25519(_ privateKey: SecretBytes, _ publicKey: [UInt8]) -> SecretBytes? {
        privateKey.withUnsafeBytes { privateKey in
            guard let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey),
                let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey)
            else { return nil }
            return try? own.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { SecretBytes($0) }
        }
    }

    /// Encrypts by AES-256-GCM.
    ///
    /// - Parameter nonce: Nil for a random one; another must not have been used with the key.
    /// - Returns: Nonce, ciphertext, tag.
    static func seal(
        _ bytes: UnsafeRawBufferPointer, with key: SecretBytes, nonce: [UInt8]? = nil, authenticating header: [UInt8]
    ) throws -> [UInt8] {
        let nonce = try nonce.map { try AES.GCM.Nonce(data: $0) } ?? AES.GCM.Nonce()
        let box = try AES.GCM.seal(bytes, using: key.key, nonce: nonce, authenticating: header)
        return Array(box.nonce) + box.ciphertext + box.tag
    }

    /// Decrypts the result of ``seal(_:with:nonce:authenticating:)``.
    ///
    /// - Returns: The plaintext; nil if authentication fails.
    static func open(_ sealed: [UInt8], with key: SecretBytes, authenticating header: [UInt8]) -> SecretBytes? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            var plain = try? AES.GCM.open(box, using: key.key, authenticating: header)
        else { return nil }
        return plain.withUnsafeMutableBytes { bytes in
            defer { bytes.wipe() }
            return SecretBytes(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Decrypts complete blocks by AES-256-CBC, without padding.
    static func decrypt(
        _ bytes: UnsafeRawBufferPointer, with key: SecretBytes, vector: UnsafeRawBufferPointer,
        to plain: UnsafeMutableRawBufferPointer
    ) throws {
        var content = try AES._CBC.decrypt(
            bytes, using: key.key, iv: AES._CBC.IV(ivBytes: Array(vector)), noPadding: true)
        content.withUnsafeMutableBytes { content in
            plain.copyMemory(from: UnsafeRawBufferPointer(content))
            content.wipe()
        }
    }
}

/// Computes the SHA-256 digest of bytes that come in parts.
final class PartwiseDigest {
    private var hash = SHA256()

    func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    /// The digest; nothing can be added afterwards.
    func finish() -> [UInt8] { Array(hash.finalize()) }
}

/// Computes HMACs (RFC 2104) with one key.
struct MessageAuthentication: Sendable {
    private let key: SymmetricKey
    private let hash: CipherSettings.Hash

    init(key: SecretBytes, hash: CipherSettings.Hash) throws {
        self.key = key.key
        self.hash = hash
    }

    /// The HMAC of a message in two parts.
    func withCode<T>(
        of first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        body: (UnsafeRawBufferPointer) -> T
    ) -> T {
        switch hash {
        case .sha1: code(of: first, second, Insecure.SHA1.self, body)
        case .sha256: code(of: first, second, SHA256.self, body)
        case .sha512: code(of: first, second, SHA512.self, body)
        }
    }

    private func code<H: HashFunction, T>(
        of first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _: H.Type,
        _ body: (UnsafeRawBufferPointer) -> T
    ) -> T {
        var authentication = HMAC<H>(key: key)
        authentication.update(data: first)
        authentication.update(data: second)
        return authentication.finalize().withUnsafeBytes(body)
    }
}

extension SecretBytes {
    fileprivate init(_ key: SymmetricKey) {
        self = key.withUnsafeBytes { SecretBytes($0) }
    }

    fileprivate var key: SymmetricKey { withUnsafeBytes { SymmetricKey(data: $0) } }
}

extension CipherSettings.Hash {
    fileprivate var function: KDF.Insecure.PBKDF2.HashFunction {
        switch self {
        case .sha1: .insecureSHA1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}
#endif
