import CPKCS11
import Strongroom

/// How a key is wrapped. Its number is the first byte of what is stored, so that unwrapping does not guess.
enum Wrapping: UInt8 {
    /// Then the nonce, the encrypted key and the tag; the context is authenticated as associated data.
    case aesGCM = 1
    /// Then the context and the key by RFC 3394, which authenticates them.
    case aesKeyWrap = 2
    /// Then the context and the key by RSA-OAEP (RFC 8017), with MGF1 of the same hash, without a label.
    case oaepSHA256 = 3
    case oaepSHA1 = 4

    static let keyLength = 32
    private static let nonceLength = 12
    private static let tagLength = 16
    /// What key wrap adds.
    private static let checkLength = 8

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - handle: The token's key that wraps; of RSA, the public one.
    func wrap(
        _ key: [UInt8], context: [UInt8], with handle: CK_OBJECT_HANDLE, _ session: CryptokiSession
    ) throws -> [UInt8] {
        var plain = self == .aesGCM ? key : context + key
        defer { plain.withUnsafeMutableBytes { $0.wipe() } }
        switch self {
        case .aesGCM:
            var generator = SystemRandomNumberGenerator()
            // Some tokens write a nonce of their own there.
            var nonce = (0..<Self.nonceLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let sealed = try withGCM(&nonce, context) {
                try session.encrypt($0, handle, plain, count: plain.count + Self.tagLength)
            }
            return [rawValue] + nonce + sealed
        case .aesKeyWrap:
            return try [rawValue]
                + withMechanism(CKM_AES_KEY_WRAP) {
                    try session.wrapKey($0, handle, plain, count: plain.count + Self.checkLength)
                }
        case .oaepSHA256, .oaepSHA1:
            let length = try (session.modulusBits(of: handle) + 7) / 8
            return try [rawValue] + withOAEP { try session.encrypt($0, handle, plain, count: length) }
        }
    }

    /// - Parameters:
    ///   - wrapped: What is stored, without its first byte.
    ///   - handle: The token's key that unwraps; of RSA, the private one.
    /// - Returns: The key; nil if it was wrapped with another context.
    func unwrap(
        _ wrapped: [UInt8], context: [UInt8], with handle: CK_OBJECT_HANDLE, _ session: CryptokiSession
    ) throws -> [UInt8]? {
        let length = context.count + Self.keyLength
        // Who writes it may not know the key, and modules are not trusted with any length.
        let expected =
            switch self {
            case .aesGCM: Self.nonceLength + Self.keyLength + Self.tagLength
            case .aesKeyWrap: length + Self.checkLength
            case .oaepSHA256, .oaepSHA1: try (session.modulusBits(of: handle) + 7) / 8
            }
        guard wrapped.count == expected else {
            throw StrongroomError(
                .keyProvider,
                """
                The wrapped key has \(wrapped.count.counting("byte")) after its first, where \(expected) were \
                expected: it was changed, or belongs to another key of the token.
                """)
        }
        var plain: [UInt8]
        switch self {
        case .aesGCM:
            var nonce = Array(wrapped.prefix(Self.nonceLength))
            return try withGCM(&nonce, context) {
                try session.decrypt($0, handle, Array(wrapped.dropFirst(Self.nonceLength)), count: Self.keyLength)
            }
        case .aesKeyWrap:
            plain = try withMechanism(CKM_AES_KEY_WRAP) {
                try session.unwrapKey($0, handle, wrapped, count: length)
            }
        case .oaepSHA256, .oaepSHA1:
            plain = try withOAEP { try session.decrypt($0, handle, wrapped, count: length) }
        }
        defer { plain.withUnsafeMutableBytes { $0.wipe() } }
        // Not in constant time: the context is in the file for everyone to read.
        return plain.starts(with: context) ? Array(plain.dropFirst(context.count)) : nil
    }

    // MARK: Mechanisms

    private func withMechanism<T>(
        _ type: CK_MECHANISM_TYPE, _ parameters: UnsafeMutableRawBufferPointer? = nil,
        _ body: (UnsafeMutablePointer<CK_MECHANISM>) throws -> T
    ) rethrows -> T {
        var mechanism = CK_MECHANISM(
            mechanism: type, pParameter: parameters?.baseAddress, ulParameterLen: CK_ULONG(parameters?.count ?? 0))
        return try body(&mechanism)
    }

    private func withGCM<T>(
        _ nonce: inout [UInt8], _ context: [UInt8], _ body: (UnsafeMutablePointer<CK_MECHANISM>) throws -> T
    ) rethrows -> T {
        var context = context
        return try nonce.withUnsafeMutableBufferPointer { nonce in
            try context.withUnsafeMutableBufferPointer { context in
                var parameters = CK_GCM_PARAMS(
                    pIv: nonce.baseAddress, ulIvLen: CK_ULONG(nonce.count), ulIvBits: CK_ULONG(nonce.count * 8),
                    pAAD: context.baseAddress, ulAADLen: CK_ULONG(context.count),
                    ulTagBits: CK_ULONG(Self.tagLength * 8))
                return try withUnsafeMutableBytes(of: &parameters) { try withMechanism(CKM_AES_GCM, $0, body) }
            }
        }
    }

    private func withOAEP<T>(_ body: (UnsafeMutablePointer<CK_MECHANISM>) throws -> T) rethrows -> T {
        let (hash, mask) = self == .oaepSHA256 ? (CKM_SHA256, CKG_MGF1_SHA256) : (CKM_SHA_1, CKG_MGF1_SHA1)
        var parameters = CK_RSA_PKCS_OAEP_PARAMS(
            hashAlg: hash, mgf: mask, source: CKZ_DATA_SPECIFIED, pSourceData: nil, ulSourceDataLen: 0)
        return try withUnsafeMutableBytes(of: &parameters) { try withMechanism(CKM_RSA_PKCS_OAEP, $0, body) }
    }
}
