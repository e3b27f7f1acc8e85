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

    /// The key's address by RFC 7512, without what a copy of the token or another host changes.
    private static func address(_ token: TokenName, _ kind: Kind, _ label: String, _ id: [UInt8]?) -> String {
        let id = id.map { ";id=\($0.map(encoded).joined())" } ?? ""
        return "pkcs11:token=\(encoded(token.label));object=\(encoded(label))\(id);type=\(kind.rawValue)"
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
            let secret = try only(kind == .aes ? CKO_SECRET_KEY : CKO_PRIVATE_KEY, session)
            try requireProtection(of: secret, session)
            switch kind {
            case .aes: return try wrapping(secret, session).wrap(key, context: context, with: secret, session)
            case .rsa:
                let published = try only(CKO_PUBLIC_KEY, session)
                try requireLength(of: published, session)
                // The list of mechanisms does not show with which hashes a module has it; some encrypt themselves what
                // the token then does not decrypt.
                do {
                    let wrapped = try Wrapping.oaepSHA256.wrap(key, context: context, with: published, session)
                    var trial = try Wrapping.oaepSHA256.unwrap(
                        Array(wrapped.dropFirst()), context: context, with: secret, session)
                    defer { trial?.withUnsafeMutableBytes { $0.wipe() } }
                    if trial == key { return wrapped }
                } catch let fault as CryptokiFault where !fault.isLoss {}
                return try Wrapping.oaepSHA1.wrap(key, context: context, with: published, session)
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
        let key = try await token.perform { (session) -> [UInt8]? in
            // Each form is authenticated, so that of several keys the right one is found by trying.
            var failure: (any Error)?
            for secret in try find(kind == .aes ? CKO_SECRET_KEY : CKO_PRIVATE_KEY, session) {
                do {
                    let key = try wrapping.unwrap(
                        Array(wrapped.dropFirst()), context: context, with: secret, session)
                    if let key { return key }
                } catch let error where (error as? CryptokiFault)?.isLoss != true { failure = failure ?? error }
            }
            if let failure { throw failure }
            return nil
        }
        guard let key else {
            throw StrongroomError(.keyProvider, "The wrapped key was carried here from another database.")
        }
        return key
    }

    // MARK: Keys of the token

    private var name: String { "the key \"\(label)\" of \(token.name)" }

    /// The keys that have the label; at least one. Of secret and private keys only those that need a login: without
    /// one, every program can use the others, and add some.
    private func find(_ type: CK_ULONG, _ session: CryptokiSession) throws -> [CK_OBJECT_HANDLE] {
        let attributes =
            [.number(CKA_CLASS, type), .number(CKA_KEY_TYPE, kind == .aes ? CKK_AES : CKK_RSA)]
            + [Attribute(CKA_LABEL, Array(label.utf8))] + (id.map { [Attribute(CKA_ID, $0)] } ?? [])
        let isPublished = type == CKO_PUBLIC_KEY
        let found = try session.keys(attributes + (isPublished ? [] : [.flag(CKA_PRIVATE, true)]))
        guard found.isEmpty else { return found }
        guard try isPublished || session.keys(attributes).isEmpty else {
            throw StrongroomError(
                .keyProvider,
                """
                No PIN is needed to use \(name) (CKA_PRIVATE is false). Generate another one that needs it, such as \
                with --private of pkcs11-tool, and remove this one.
                """)
        }
        let missing = kind == .aes ? "AES key" : isPublished ? "public RSA key" : "private RSA key"
        throw StrongroomError(
            .keyProvider,
            """
            There is no \(missing) like \(name)\(id == nil ? "" : " with its CKA_ID"). Correct the label, or restore \
            the key from the token's backup: what it has wrapped can be read with no other.
            """)
    }

    /// The only key that has the label.
    private func only(_ type: CK_ULONG, _ session: CryptokiSession) throws -> CK_OBJECT_HANDLE {
        let found = try find(type, session)
        guard found.count == 1 else {
            throw StrongroomError(
                .keyProvider,
                """
                There are several keys like \(name), and nothing is wrapped until there is one: give the others \
                another label, or remove them.
                """)
        }
        return found[0]
    }

    /// A key that can leave the token does not protect what it wraps. Only wrapping requires that it cannot: what is
    /// wrapped already stays readable.
    private func requireProtection(of key: CK_OBJECT_HANDLE, _ session: CryptokiSession) throws {
        guard try !session.flag(CKA_EXTRACTABLE, of: key) else {
            throw StrongroomError(
                .keyProvider,
                "It is possible to extract \(name) (CKA_EXTRACTABLE). Generate one in the token that cannot leave it.")
        }
        // Secret keys do not have it, and not all modules.
        if (try? session.flag(CKA_ALWAYS_AUTHENTICATE, of: key)) == true {
            throw StrongroomError(
                .keyProvider,
                """
                The PIN is asked for at each use of \(name) (CKA_ALWAYS_AUTHENTICATE), which is not supported. \
                Generate one that a login is enough for.
                """)
        }
    }

    private func requireLength(of key: CK_OBJECT_HANDLE, _ session: CryptokiSession) throws {
        let bits = try session.modulusBits(of: key)
        guard !(2_048...16_384).contains(bits) else { return }
        throw StrongroomError(
            .keyProvider, "RSA with \(bits) bits is not for \(name); generate a key pair of 2,048 to 16,384.")
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
