/// How a file's key is derived and its pages are laid out.
struct CipherSettings: Sendable, Equatable {
    /// The hash of the key derivation.
    enum Hash: String {
        case sha1 = "PBKDF2_HMAC_SHA1"
        case sha256 = "PBKDF2_HMAC_SHA256"
        case sha512 = "PBKDF2_HMAC_SHA512"
    }

    let hash: Hash
    let iterations: Int
    let pageSize: Int

    /// The length of a file's salt, its first bytes.
    static let saltLength = 16

    /// A salt for a new file.
    static func randomSalt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The engine's own defaults, which a new file gets so that any SQLCipher tool opens it with the passphrase alone.
    ///
    /// - Throws: ``StrongroomError`` with `notSQLCipher` when plain SQLite answers.
    static func engineDefault() throws -> CipherSettings {
        try asked.get()
    }

    private static let asked = Result { try ask() }

    private static func ask() throws -> CipherSettings {
        let features = try EngineFeatures.current()
        let probe = try Connection(path: ":memory:", mode: .create, database: ":memory:")
        try probe.silenceLog()
        // A raw key with a salt costs no derivation; the settings are answered only once there is a key.
        let keySpecification = "x'\(String(repeating: "00", count: 48))'"
        try Array(keySpecification.utf8).withUnsafeBytes { try probe.setKey($0) }
        // SQLCipher 3 has one hash and no setting for it.
        let hash =
            features.cipherMajorVersion < 4
            ? Hash.sha1 : try probe.setting("cipher_kdf_algorithm").flatMap { Hash(rawValue: $0) }
        guard
            let hash,
            let iterations = try probe.setting("kdf_iter").flatMap({ Int($0) }),
            let pageSize = try probe.setting("cipher_page_size").flatMap({ Int($0) })
        else {
            throw StrongroomError(
                .engine,
                "SQLCipher \(features.cipherVersion) does not tell its key derivation; use version 3 or 4."
            )
        }
        return CipherSettings(hash: hash, iterations: iterations, pageSize: pageSize)
    }
}

extension Connection {
    /// What the engine answers to a `PRAGMA`; version 4 gives some numbers as text.
    func setting(_ name: String) throws -> String? {
        switch try ownValue("PRAGMA \(name)") {
        case .text(let text)?: text
        case .integer(let number)?: String(number)
        default: nil
        }
    }
}
