/// How a file is encrypted: how a passphrase becomes its key, how large its pages are, and how each page is
/// authenticated.
///
/// A file does not tell its settings; whoever opens it must know them, and the key is taken for wrong otherwise. See
/// SQLCipher's documentation, "SQLCipher API" (zetetic.net/sqlcipher/sqlcipher-api), the settings whose names begin
/// with `cipher_`.
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
    /// The rounds of PBKDF2 that make a passphrase a key; a raw key needs none.
    public var iterations: Int
    /// The hash of PBKDF2.
    public var derivationHash: Hash
    /// The hash of the code that authenticates each page.
    public var pageHash: Hash

    /// Describes settings; what is left out is as SQLCipher 4 has it.
    ///
    /// - Parameters:
    ///   - pageSize: The size of a page in bytes: a power of two from 1,024 to 65,536.
    ///   - iterations: The rounds of PBKDF2, at least 1.
    ///   - derivationHash: The hash of PBKDF2; SQLCipher 3 knows SHA-1 alone.
    ///   - pageHash: The hash of the code that authenticates each page; SQLCipher 3 knows SHA-1 alone.
    public init(
        pageSize: Int = 4_096, iterations: Int = 256_000, derivationHash: Hash = .sha512, pageHash: Hash = .sha512
    ) {
        self.pageSize = pageSize
        self.iterations = iterations
        self.derivationHash = derivationHash
        self.pageHash = pageHash
    }

    /// What SQLCipher 3 takes by itself.
    public static let sqlCipher3 = CipherSettings(
        pageSize: 1_024, iterations: 64_000, derivationHash: .sha1, pageHash: .sha1)

    /// What SQLCipher 4 takes by itself.
    public static let sqlCipher4 = CipherSettings()

    /// The length of a file's salt, its first bytes.
    static let saltLength = 16

    /// A salt for a new file.
    static func randomSalt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// What the linked engine takes by itself, so that any SQLCipher tool of its version opens the file with the
    /// passphrase alone.
    ///
    /// - Returns: The settings; asked once, then remembered.
    /// - Throws: ``StrongroomError`` with `notSQLCipher` when plain SQLite answers in SQLCipher's place.
    public static func engineDefault() throws -> CipherSettings {
        try asked.get()
    }

    /// What a configuration has that names none: SQLCipher 3's, if the engine's own are other ones, then the engine's
    /// own.
    ///
    /// - Returns: The settings, oldest first.
    /// - Throws: ``StrongroomError`` with `notSQLCipher` when plain SQLite answers in SQLCipher's place.
    public static func known() throws -> [CipherSettings] {
        let own = try engineDefault()
        return own == sqlCipher3 ? [own] : [sqlCipher3, own]
    }

    /// Why the linked engine cannot use the settings, or nil.
    func defect() throws -> String? {
        guard pageSize.nonzeroBitCount == 1, (1_024...65_536).contains(pageSize) else {
            return "\(pageSize) bytes is no size of a page; give a power of two from 1,024 to 65,536"
        }
        guard (1...Int(Int32.max)).contains(iterations) else { return "\(iterations) rounds cannot be made" }
        let version = try EngineFeatures.current().cipherMajorVersion
        guard version >= 4 || (derivationHash == .sha1 && pageHash == .sha1) else {
            return "SQLCipher \(version), which is linked, has SHA-1 alone"
        }
        return nil
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
                "SQLCipher \(features.cipherVersion) does not tell its key derivation; use version 3 or 4."
            )
        }
        return CipherSettings(
            pageSize: pageSize, iterations: iterations, derivationHash: derivationHash, pageHash: pageHash)
    }
}

extension CipherSettings: CustomStringConvertible {
    /// For people: whose settings they are, then all of them.
    public var description: String {
        let owner =
            switch self {
            case .sqlCipher3: "SQLCipher 3's own settings"
            case .sqlCipher4: "SQLCipher 4's own settings"
            default: "settings of its own"
            }
        return """
            \(owner): pages of \(pageSize) bytes, \(iterations) rounds of \(derivationHash.rawValue), pages \
            authenticated with \(pageHash.rawValue)
            """
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

    /// Tells the engine how a file is encrypted; to be called after its key is set, before anything is read.
    ///
    /// - Parameter schema: `main`, or the name that an attached file has.
    func apply(_ settings: CipherSettings, to schema: String = "main") throws {
        let own = try CipherSettings.engineDefault()
        func set(_ name: String, _ value: String) throws { try run("PRAGMA \(schema).\(name) = \(value)") }
        if settings.pageSize != own.pageSize { try set("cipher_page_size", "\(settings.pageSize)") }
        if settings.pageHash != own.pageHash {
            try set("cipher_hmac_algorithm", "HMAC_\(settings.pageHash.rawValue)")
        }
        // With a raw key it derives nothing of the key, but the code's own key with two rounds of this hash.
        if settings.derivationHash != own.derivationHash {
            try set("cipher_kdf_algorithm", "PBKDF2_HMAC_\(settings.derivationHash.rawValue)")
        }
        if settings.iterations != own.iterations { try set("kdf_iter", "\(settings.iterations)") }
    }
}
