import CPKCS11
import Strongroom

/// A key of a token, as the library calls it.
struct PKCS11Key: KeyProvider {
    enum Kind: String {
        case aes = "secret-key"
        case rsa = "private"
    }

    let identifier: String
    private let token: PKCS11Token
    private let kind: Kind
    private let label: String
    private let id: [UInt8]?

    init(_ token: PKCS11Token, _ kind: Kind, label: String, id: [UInt8]?) throws {
        (self.token, self.kind, self.label, self.id) = (token, kind, label, id)
        guard !label.isEmpty else {
            throw StrongroomError(.invalidArgument, "The label of a token's key is empty; give the key's CKA_LABEL.")
        }
        identifier = Self.address(token.name, kind, label, id)
        let length = identifier.utf8.count
        guard length <= Self.longestIdentifier else {
            throw StrongroomError(
                .invalidArgument,
                """
                The identifier of the key "\(label)" would have \(length) bytes, and at most \
                \(Self.longestIdentifier) can be stored: \(identifier). Give the key or the token a shorter label.
                """)
        }
    }

    /// What an envelope can store.
    private static let longestIdentifier = 255

    /// The key's address by RFC 7512, without what changes when the token is moved to another host.
    private static func address(_ token: TokenName, _ kind: Kind, _ label: String, _ id: [UInt8]?) -> String {
        var parts = ["token=\(encoded(token.label))"]
        if let serial = token.serial { parts.append("serial=\(encoded(serial))") }
        parts.append("object=\(encoded(label))")
        if let id { parts.append("id=\(id.map(encoded).joined())") }
        return "pkcs11:\(parts.joined(separator: ";"));type=\(kind.rawValue)"
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: encoded(byte)
            }
        }.joined()
    }

    private static func encoded(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    // MARK: Wrapping

    func wrap(_ key: [UInt8], context: [UInt8]) async throws -> [UInt8] {
        try await token.perform { session in
            switch kind {
            case .aes:
                let secret = try find(CKO_SECRET_KEY, CKK_AES, session)
                try requireProtection(of: secret, session)
                return try wrapping(secret, session).wrap(key, context: context, with: secret, session)
            case .rsa:
                try requireProtection(of: find(CKO_PRIVATE_KEY, CKK_RSA, session), session)
                let published = try find(CKO_PUBLIC_KEY, CKK_RSA, session)
                try requireLength(of: published, session)
                do {
                    return try Wrapping.oaepSHA256.wrap(key, context: context, with: published, session)
                } catch CryptokiFault.failed("C_EncryptInit", CKR_MECHANISM_PARAM_INVALID),
                    CryptokiFault.failed("C_EncryptInit", CKR_ARGUMENTS_BAD)
                {
                    // The list of mechanisms does not show with which hashes a module has it.
                    return try Wrapping.oaepSHA1.wrap(key, context: context, with: published, session)
                }
            }
        }
    }

    func unwrap(_ wrapped: [UInt8], context: [UInt8]) async throws -> [UInt8] {
        let known: [Wrapping] = kind == .aes ? [.aesGCM, .aesKeyWrap] : [.oaepSHA256, .oaepSHA1]
        guard let wrapping = wrapped.first.flatMap(Wrapping.init), known.contains(wrapping) else {
            throw StrongroomError(
                .keyProvider,
                """
                The wrapped key is not in a form that this version reads with \(name): it was changed, or a newer \
                version wrote it.
                """)
        }
        let key = try await token.perform { session in
            let handle =
                switch kind {
                case .aes: try find(CKO_SECRET_KEY, CKK_AES, session)
                case .rsa: try find(CKO_PRIVATE_KEY, CKK_RSA, session)
                }
            return try wrapping.unwrap(Array(wrapped.dropFirst()), context: context, with: handle, session)
        }
        guard let key else {
            throw StrongroomError(.keyProvider, "The wrapped key was carried here from another database.")
        }
        return key
    }

    private var name: String { "the key \"\(label)\" of \(token.name)" }

    private func find(_ type: CK_ULONG, _ algorithm: CK_ULONG, _ session: CryptokiSession) throws -> CK_OBJECT_HANDLE {
        let found = try session.keys(type, algorithm, label: label, id: id)
        guard found.count < 2 else {
            throw StrongroomError(
                .keyProvider, "There are several keys like \(name); give the CKA_ID of the right one as `id`.")
        }
        guard let only = found.first else {
            let kind =
                switch type {
                case CKO_SECRET_KEY: "AES key"
                case CKO_PUBLIC_KEY: "public RSA key"
                default: "private RSA key"
                }
            throw StrongroomError(
                .keyProvider,
                """
                There is no \(kind) like \(name)\(id == nil ? "" : " with its CKA_ID"). Correct the label, or restore \
                the key from the token's backup: what it has wrapped can be read with no other.
                """)
        }
        return only
    }

    /// A key that can leave the token does not protect what it wraps. Only wrapping requires that it cannot: what is
    /// wrapped already stays readable.
    private func requireProtection(of key: CK_OBJECT_HANDLE, _ session: CryptokiSession) throws {
        guard try session.flag(CKA_EXTRACTABLE, of: key) else { return }
        throw StrongroomError(
            .keyProvider,
            "It is possible to extract \(name) (CKA_EXTRACTABLE). Generate one in the token that cannot leave it.")
    }

    private func requireLength(of key: CK_OBJECT_HANDLE, _ session: CryptokiSession) throws {
        let bits = try session.length(CKA_MODULUS, of: key) * 8
        guard bits < 2_048 else { return }
        throw StrongroomError(
            .keyProvider, "RSA with \(bits) bits is too short for \(name); generate a key pair of 2,048 or more.")
    }

    /// The first way of wrapping that the module has and the key is permitted.
    private func wrapping(_ key: CK_OBJECT_HANDLE, _ session: CryptokiSession) throws -> Wrapping {
        if session.module.supports(CKM_AES_GCM, CKF_ENCRYPT | CKF_DECRYPT, session.slot),
            try session.flag(CKA_ENCRYPT, of: key), try session.flag(CKA_DECRYPT, of: key)
        {
            return .aesGCM
        }
        if session.module.supports(CKM_AES_KEY_WRAP, CKF_WRAP | CKF_UNWRAP, session.slot),
            try session.flag(CKA_WRAP, of: key), try session.flag(CKA_UNWRAP, of: key)
        {
            return .aesKeyWrap
        }
        throw StrongroomError(
            .keyProvider,
            """
            Neither AES-GCM (CKM_AES_GCM to encrypt and decrypt) nor AES key wrap (CKM_AES_KEY_WRAP to wrap and \
            unwrap) is possible with \(name). Generate a key that is permitted one of them, on a token that has it.
            """)
    }
}
