/// The encryption settings of a file: key derivation, page size and page authentication.
///
/// A file does not store its settings. They must be known to open it; with other settings, the key appears to be wrong.
/// See SQLCipher's documentation, "SQLCipher API" (zetetic.net/sqlcipher/sqlcipher-api), for the settings whose names
/// begin with `cipher_`.
///
/// ```swift
/// func cipherSettings(for database: DatabaseName) throws -> [CipherSettings] {
///     [.sqlCipher3, CipherSettings(pageSize: 8_192)]
/// }
/// ```
public struct CipherSettings: Sendable, Hashable {
    /// A hash function.
    public enum Hash: String, Sendable, Hashable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    /// The size of a page in bytes: a power of two from 1,024 to 65,536.
    public var pageSize: Int
    /// The number of PBKDF2 iterations for a passphrase; a raw key needs none.
    public var iterations: Int
    /// The hash function of PBKDF2.
    public var derivationHash: Hash
    /// The hash function of the HMAC that authenticates each page.
    public var pageHash: Hash

    /// Creates settings; the defaults are those of SQLCipher 4.
    ///
    /// - Parameters:
    ///   - pageSize: The size of a page in bytes: a power of two from 1,024 to 65,536.
    ///   - iterations: The number of PBKDF2 iterations, at least 1.
    ///   - derivationHash: The hash function of PBKDF2; SQLCipher 3 supports only SHA-1.
    ///   - pageHash: The hash function of the HMAC that authenticates each page; SQLCipher 3 supports only SHA-1.
    public init(
        pageSize: Int = 4_096, iterations: Int = 256_000, derivationHash: Hash = .sha512, pageHash: Hash = .sha512
    ) {
        self.pageSize = pageSize
        self.iterations = iterations
        self.derivationHash = derivationHash
        self.pageHash = pageHash
    }

    /// The defaults of SQLCipher 3.
    public static let sqlCipher3 = CipherSettings(
        pageSize: 1_024, iterations: 64_000, derivationHash: .sha1, pageHash: .sha1)

    /// The defaults of SQLCipher 4.
    public static let sqlCipher4 = CipherSettings()

    /// The length of a file's salt, in bytes; the salt is at the beginning of the file.
    static let saltLength = 16

    static func randomSalt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The defaults of the linked engine, with which any SQLCipher tool of its version opens the file with only the
    /// passphrase.
    ///
    /// - Returns: The settings; determined once and cached.
    /// - Throws: ``StrongroomError`` with `notSQLCipher` if the linked library is plain SQLite.
    public static func engineDefault() throws -> CipherSettings {
        try detected.get()
    }

    /// The settings of a configuration that specifies none: those of SQLCipher 3, if they differ from the engine's
    /// defaults, then the engine's defaults.
    ///
    /// - Returns: The settings, oldest first.
    /// - Throws: ``StrongroomError`` with `notSQLCipher` if the linked library is plain SQLite.
    public static func known() throws -> [CipherSettings] {
        let own = try engineDefault()
        return own == sqlCipher3 ? [own] : [sqlCipher3, own]
    }

    /// Why the linked engine does not support the settings, or nil.
    func defect() throws -> String? {
        guard pageSize.nonzeroBitCount == 1, (1_024...65_536).contains(pageSize) else {
            return "\(pageSize) bytes is not a valid page size; use a power of two from 1,024 to 65,536"
        }
        guard (1...Int(Int32.max)).contains(iterations) else { return "\(iterations) iterations are not possible" }
        let version = try EngineFeatures.current().cipherMajorVersion
        guard version >= 4 || (derivationHash == .sha1 && pageHash == .sha1) else {
            return "SQLCipher \(version), which is linked, supports only SHA-1"
        }
        return nil
    }

    private static let detected = Result { try detect() }

    private static func detect() throws -> CipherSettings {
        let features = try EngineFeatures.current()
        let probe = try Connection(path: ":memory:", mode: .create, database: ":memory:")
        try probe.silenceLog()
        // A raw key with a salt needs no derivation; the settings can only be queried once there is a key.
        let keySpecification = "x'\(String(repeating: "00", count: 48))'"
        try Array(keySpecification.utf8).withUnsafeBytes { try probe.setKey($0) }
        // SQLCipher 3 has a single hash function and no setting for it.
        let isOld = features.cipherMajorVersion < 4
        let derivation = try isOld ? "SHA1" : probe.setting("cipher_kdf_algorithm")?.replacing("PBKDF2_HMAC_", with: "")
        let page = try isOld ? "SHA1" : probe.setting("cipher_hmac_algorithm")?.replacing("HMAC_", with: "")
        guard
            let derivationHash = derivation.flatMap({ Hash(rawValue: $0) }),
            let pageHash = page.flatMap({ Hash(rawValue: $0) }),
            let iterations = try probe.setting("kdf_iter").flatMap({ Int($0) }),
            let pageSize = try probe.setting("cipher_page_size").flatMap({ Int($0) })
        else {
            throw StrongroomError(
                .engine,
                "SQLCipher \(features.cipherVersion) does not report its key derivation; use version 3 or 4."
            )
        }
        return CipherSettings(
            pageSize: pageSize, iterations: iterations, derivationHash: derivationHash, pageHash: pageHash)
    }
}

extension CipherSettings: CustomStringConvertible {
    /// A description: the name of the settings, then all values.
    public var description: String {
        let owner =
            switch self {
            case .sqlCipher3: "SQLCipher 3's own settings"
            case .sqlCipher4: "SQLCipher 4's own settings"
            default: "other settings"
            }
        return """
            \(owner): pages of \(pageSize) bytes, \(iterations) rounds of \(derivationHash.rawValue), pages \
            authenticated with \(pageHash.rawValue)
            """
    }
}

extension Connection {
    /// The result of a `PRAGMA`; version 4 returns some numbers as text.
    func setting(_ name: String) throws -> String? {
        switch try ownValue("PRAGMA \(name)") {
        case .text(let text)?: text
        case .integer(let number)?: String(number)
        default: nil
        }
    }

    /// Sets the encryption settings of a file; call it after setting its key and before reading anything.
    func apply(_ settings: CipherSettings, to schema: String = "main") throws {
        let own = try CipherSettings.engineDefault()
        func set(_ name: String, _ value: String) throws { try run("PRAGMA \(schema).\(name) = \(value)") }
        if settings.pageSize != own.pageSize { try set("cipher_page_size", "\(settings.pageSize)") }
        if settings.pageHash != own.pageHash {
            try set("cipher_hmac_algorithm", "HMAC_\(settings.pageHash.rawValue)")
        }
        // With a raw key the engine derives only the HMAC key, with two iterations of this hash.
        if settings.derivationHash != own.derivationHash {
            try set("cipher_kdf_algorithm", "PBKDF2_HMAC_\(settings.derivationHash.rawValue)")
        }
        if settings.iterations != own.iterations { try set("kdf_iter", "\(settings.iterations)") }
    }
}
