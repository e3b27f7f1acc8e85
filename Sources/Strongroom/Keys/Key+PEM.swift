import Foundation

extension Key {
    /// A public key of X25519, for recovery where the private key is: it has a slot in an envelope, and opens nothing.
    ///
    /// ``Store/addKey(_:label:)`` gives it a slot, for which the private key is not needed. Where the data key is
    /// replaced, the public key has to be in the chain, before the current key, or among the `keys` of
    /// ``Store/rotate(_:keys:timeout:progress:)``: its slot is kept then. In a chain it gets no slot by itself.
    ///
    /// ```swift
    /// // openssl genpkey -algorithm X25519 -out private.pem; openssl pkey -in private.pem -pubout -out public.pem
    /// try await store.addKey(.publicKey(pem: String(contentsOfFile: "public.pem", encoding: .utf8)), label: "safe")
    /// ```
    ///
    /// - Parameter pem: The key as PEM, SubjectPublicKeyInfo (RFC 8410), as OpenSSL writes it.
    /// - Returns: The key.
    /// - Throws: ``StrongroomError`` with `invalidKey` for another text, a private key, and a public key that no
    ///   private key has.
    public static func publicKey(pem: String) throws -> Key { try publicKey(Array(pem.utf8)) }

    private static func publicKey(_ pem: consuming [UInt8]) throws -> Key {
        var pem = pem
        // It may be the private key.
        defer { pem.withUnsafeMutableBytes { $0.wipe() } }
        let key = try Key(pem: pem[...])
        guard key.isPublicKey else {
            throw PEM.refusal("is a private key, which belongs elsewhere; give its public key, \(PEM.publicAdvice)")
        }
        return key
    }

    /// A private key of X25519, which opens the envelopes that have a slot of its public key.
    ///
    /// A slot of a public key does not show who has written it: an attacker who can write in the directory of the
    /// database, and knows the public key, can put a database and an envelope of their own there.
    ///
    /// ```swift
    /// let chain = try KeyChain(.privateKey(pem: String(contentsOfFile: "private.pem", encoding: .utf8)))
    /// ```
    ///
    /// - Parameter pem: The key as PEM, PKCS #8 without encryption (RFC 8410), as OpenSSL writes it.
    /// - Returns: The key.
    /// - Throws: ``StrongroomError`` with `invalidKey` for another text, and for a public key.
    public static func privateKey(pem: String) throws -> Key {
        var bytes = Array(pem.utf8)
        defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
        let key = try Key(pem: bytes[...])
        guard !key.isPublicKey else { throw PEM.refusal("is a public key, which opens nothing; give its private key") }
        return key
    }

    /// As ``publicKey(pem:)``, from a file, which other users may read.
    package static func publicKey(file path: String) throws -> Key {
        try publicKey(FileSystem.firstBytes(of: path, KeyText.largest))
    }

    /// Whether it is a public key, without the private one.
    var isPublicKey: Bool {
        guard case .pair(_, nil) = material else { return false }
        return true
    }

    /// Whether both are the same key, or the keys of one pair.
    func isSame(as other: Key) -> Bool {
        guard case .pair(let publicKey, _) = material, case .pair(let otherKey, _) = other.material else {
            return self == other
        }
        return publicKey == otherKey
    }

    /// A private or a public key.
    init(pem: ArraySlice<UInt8>) throws {
        let (label, content) = try PEM.content(of: pem)
        switch label {
        case "PUBLIC KEY":
            let publicKey = try PEM.key(in: content, after: PEM.publicPrefix).withUnsafeBytes { Array($0) }
            guard HPKE.isCanonical(publicKey) else { throw PEM.noPrivateKey }
            self.init(material: .pair(publicKey: publicKey, privateKey: nil))
        case "PRIVATE KEY":
            let privateKey = try PEM.key(in: content, after: PEM.privatePrefix)
            guard let publicKey = HPKE.publicKey(of: privateKey) else { throw PEM.notX25519 }
            self.init(material: .pair(publicKey: publicKey, privateKey: privateKey))
        case "ENCRYPTED PRIVATE KEY":
            throw PEM.refusal("is encrypted with a passphrase; decrypt it where it is used: `openssl pkey -in FILE`")
        default: throw PEM.notX25519
        }
    }
}

/// Keys of X25519 as PEM (RFC 7468) of their DER (RFC 8410), of which all but the key is the same in each.
enum PEM {
    /// SubjectPublicKeyInfo, before the key.
    static let publicPrefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6E, 0x03, 0x21, 0x00]
    /// PKCS #8, before the key.
    static let privatePrefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6E, 0x04, 0x22, 0x04, 0x20,
    ]
    static let begin = Array("-----BEGIN ".utf8)
    static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    static let publicAdvice = "which `openssl pkey -in FILE -pubout` writes"

    /// A public key as PEM.
    static func text(of publicKey: [UInt8]) -> String {
        let content = Data(publicPrefix + publicKey).base64EncodedString()
        return "-----BEGIN PUBLIC KEY-----\n\(content)\n-----END PUBLIC KEY-----\n"
    }

    /// The label and the content of a text with nothing else in it.
    static func content(of text: ArraySlice<UInt8>) throws -> (label: String, SecretBytes) {
        let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        guard let first = lines.first, let last = lines.last, first.starts(with: begin), first.suffix(5) == dashes[...],
            last.starts(with: end), last.dropFirst(end.count) == first.dropFirst(begin.count)
        else { throw refusal("is not PEM: it has to begin with -----BEGIN, and end with its -----END; give the file") }
        // Reserved at once, so that growing it leaves no partial copy behind.
        var characters = Data(capacity: text.count)
        defer { characters.resetBytes(in: characters.startIndex..<characters.endIndex) }
        for line in lines.dropFirst().dropLast() { characters.append(contentsOf: line) }
        guard var content = Data(base64Encoded: characters) else {
            throw refusal("has a character in it that PEM does not have; give the file as it was written")
        }
        defer { content.resetBytes(in: content.startIndex..<content.endIndex) }
        let label = String(decoding: first.dropFirst(begin.count).dropLast(dashes.count), as: UTF8.self)
        return (label, content.withUnsafeBytes { SecretBytes($0) })
    }

    static func key(in content: SecretBytes, after prefix: [UInt8]) throws -> SecretBytes {
        try content.withUnsafeBytes { bytes in
            guard bytes.count == prefix.count + HPKE.keyLength, bytes.starts(with: prefix) else { throw notX25519 }
            return SecretBytes(UnsafeRawBufferPointer(rebasing: bytes[prefix.count...]))
        }
    }

    static var notX25519: StrongroomError {
        refusal("is not one of X25519 as OpenSSL writes it; make it with `openssl genpkey -algorithm X25519`")
    }

    static var noPrivateKey: StrongroomError {
        refusal("is a public key that no private key has; make another pair. Nothing was changed")
    }

    static func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(.invalidKey, "The PEM key \(reason).")
    }
}
