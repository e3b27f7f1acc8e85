#if canImport(CLibCrypto) && !SwiftCrypto
import CLibCrypto

extension Cryptography {
    /// Whether two buffers are equal, in a time that depends only on their lengths.
    static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let left = left.octets, let start = right.octets else { return true }
        return strongroom_is_equal(left, start, right.count) == 1
    }

    /// Derives a key by PBKDF2 (RFC 8018).
    static func pbkdf2(
        _ secret: UnsafeRawBufferPointer, salt: [UInt8], hash: CipherSettings.Hash, rounds: Int, count: Int
    ) throws -> SecretBytes {
        try SecretBytes(count: count) { key in
            let result = strongroom_pbkdf2(
                hash.rawValue, secret.octets, secret.count, salt, salt.count, UInt32(rounds), key.octets, count)
            guard result == 1 else { throw failure("derive a key by PBKDF2 with \(hash.rawValue)") }
        }
    }

    /// Derives a key by scrypt (RFC 7914).
    static func scrypt(
        _ secret: SecretBytes, salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int, count: Int
    ) throws -> SecretBytes {
        try SecretBytes(count: count) { key in
            let result = secret.withUnsafeBytes { secret in
                strongroom_scrypt(
                    secret.octets, secret.count, salt, salt.count, UInt64(rounds), UInt64(blockSize),
                    UInt64(parallelism), key.octets, count)
            }
            guard result == 1 else { throw failure("derive a key by scrypt") }
        }
    }

    static func hkdf(_ secret: SecretBytes, salt: [UInt8], info: [UInt8], count: Int) -> SecretBytes {
        SecretBytes(count: count) { key in
            secret.withUnsafeBytes { secret in
                require(
                    strongroom_hkdf_sha256(
                        secret.octets, secret.count, salt, salt.count, info, info.count, key.octets, count) == 1)
            }
        }
    }

    /// The result of X25519, which may be zero; nil if libcrypto refuses.
    static func x25519(_ privateKey: SecretBytes, _ publicKey: [UInt8]) -> SecretBytes? {
        var isDone = false
        let secret = SecretBytes(count: HPKE.keyLength) { secret in
            isDone = privateKey.withUnsafeBytes { strongroom_x25519($0.octets, publicKey, secret.octets) == 1 }
        }
        return isDone ? secret : nil
    }

    /// Encrypts by AES-256-GCM.
    ///
    /// - Parameter nonce: Nil for a random one; another must not have been used with the key.
    /// - Returns: Nonce, ciphertext, tag.
    static func seal(
        _ bytes: UnsafeRawBufferPointer, with key: SecretBytes, nonce: [UInt8]? = nil, authenticating header: [UInt8]
    ) throws -> [UInt8] {
        let nonce = nonce ?? SecretBytes.random(count: nonceLength).withUnsafeBytes { Array($0) }
        var sealed = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: tagLength)
        let result = key.withUnsafeBytes { key in
            strongroom_gcm_seal(key.octets, nonce, header, header.count, bytes.octets, bytes.count, &sealed, &tag)
        }
        guard result == 1 else { throw failure("encrypt by AES-256-GCM") }
        return nonce + sealed + tag
    }

    /// Decrypts the result of ``seal(_:with:nonce:authenticating:)``.
    ///
    /// - Returns: The plaintext; nil if authentication fails.
    static func open(_ sealed: [UInt8], with key: SecretBytes, authenticating header: [UInt8]) -> SecretBytes? {
        guard sealed.count >= nonceLength + tagLength else { return nil }
        let (nonce, tag) = (Array(sealed.prefix(nonceLength)), Array(sealed.suffix(tagLength)))
        let encrypted = Array(sealed.dropFirst(nonceLength).dropLast(tagLength))
        var isAuthentic = false
        let plain = SecretBytes(count: encrypted.count) { plain in
            isAuthentic = key.withUnsafeBytes { key in
                strongroom_gcm_open(
                    key.octets, nonce, header, header.count, encrypted, encrypted.count, tag, plain.octets) == 1
            }
        }
        return isAuthentic ? plain : nil
    }

    /// Decrypts complete blocks by AES-256-CBC, without padding.
    static func decrypt(
        _ bytes: UnsafeRawBufferPointer, with key: SecretBytes, vector: UnsafeRawBufferPointer,
        to plain: UnsafeMutableRawBufferPointer
    ) throws {
        let result = key.withUnsafeBytes { key in
            strongroom_cbc_decrypt(key.octets, vector.octets, bytes.octets, bytes.count, plain.octets)
        }
        guard result == 1 else { throw failure("decrypt by AES-256-CBC") }
    }

    fileprivate static func failure(_ purpose: String) -> StrongroomError {
        let reason = strongroom_crypto_error().map { String(cString: $0) } ?? ""
        return StrongroomError(
            .engine,
            """
            OpenSSL's libcrypto could not \(purpose): \(reason). Check the available memory and OpenSSL's \
            configuration (openssl.cnf).
            """)
    }

    /// Traps, as Swift does when out of memory: a libcrypto without SHA-256 could not encrypt the database either.
    fileprivate static func require(_ isDone: Bool) {
        precondition(isDone, "OpenSSL's libcrypto has no SHA-256, or there is no memory.")
    }
}

/// Computes the SHA-256 digest of bytes that come in parts.
final class PartwiseDigest {
    private let context: OpaquePointer

    init() {
        guard let context = strongroom_digest_new() else {
            preconditionFailure("OpenSSL's libcrypto has no SHA-256, or there is no memory.")
        }
        self.context = context
    }

    deinit {
        strongroom_digest_free(context)
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        Cryptography.require(strongroom_digest_update(context, bytes.octets, bytes.count) == 1)
    }

    /// The digest; nothing can be added afterwards.
    func finish() -> [UInt8] {
        [UInt8](capacity: Digests.length) { digest, count in
            Cryptography.require(strongroom_digest_finish(context, digest.baseAddress) == 1)
            count = Digests.length
        }
    }
}

/// Computes HMACs (RFC 2104) with one key.
final class MessageAuthentication: Sendable {
    // Only read after it has been keyed.
    nonisolated(unsafe) private let context: OpaquePointer

    init(key: SecretBytes, hash: CipherSettings.Hash) throws {
        let context = key.withUnsafeBytes { strongroom_hmac_new(hash.rawValue, $0.octets, $0.count) }
        guard let context else { throw Cryptography.failure("authenticate by HMAC-\(hash.rawValue)") }
        self.context = context
    }

    deinit {
        strongroom_hmac_free(context)
    }

    /// The HMAC of a message in two parts.
    func withCode<T>(
        of first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        body: (UnsafeRawBufferPointer) -> T
    ) -> T {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { code in
            let count = strongroom_hmac_code(
                context, first.octets, first.count, second.octets, second.count, code.octets)
            Cryptography.require(count > 0)
            return body(UnsafeRawBufferPointer(rebasing: code[..<count]))
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
#endif
