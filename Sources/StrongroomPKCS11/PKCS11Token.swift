public import Strongroom

/// A token that is reached by a PKCS#11 module: a hardware security module, a smart card, or SoftHSM.
///
/// Its keys stay in it and wrap the keys of envelopes; this library does no cryptography of its own. The module is
/// loaded, and the token logged in, when the first key is used; all keys of a token share the login and at most four
/// sessions, which stay open for the next use. What fails then is the error `keyProvider`, after every other key of the
/// chain was tried.
///
/// ```swift
/// func keyChain(for database: DatabaseName) throws -> KeyChain {
///     let token = try PKCS11Token(
///         module: "/usr/lib/softhsm/libsofthsm2.so", label: "inventory", pin: KeyFile("/etc/inventory/pin"))
///     return try KeyChain(.external(token.aesKey(label: "databases 1")))
/// }
/// ```
public struct PKCS11Token: Sendable {
    let name: TokenName
    private let module: @Sendable () throws -> CryptokiModule
    private let pin: @Sendable () async throws -> [UInt8]

    /// A token whose PIN is in a file.
    ///
    /// - Parameters:
    ///   - module: The absolute path of the module.
    ///   - label: The token's label, 1 to 32 bytes of UTF-8.
    ///   - serial: The token's serial number, at most 16 bytes, where several tokens have the label: which of the
    ///     copies is used. It is no part of the identifiers of keys.
    ///   - pin: The file with the user's PIN and nothing else, but perhaps a line break. It is read at each login, and
    ///     who besides its owner may have access is checked as for a file of keys.
    /// - Throws: `StrongroomError` with `invalidArgument` for a path that is not absolute, and for a label or serial
    ///   number that no token has.
    public init(module: String, label: String, serial: String? = nil, pin: KeyFile) throws {
        try self.init(module: module, label: label, serial: serial) { try pin.withContent { Array($0) } }
    }

    /// A token whose PIN comes from a function.
    ///
    /// A PIN that the token has refused is not tried a second time in this process, until the function gives another
    /// one or the token reports a correct login in between: a few wrong ones lock the token. After a result that does
    /// not say whether it was counted as wrong, such as CKR_DEVICE_ERROR, it is tried once more, a minute later.
    ///
    /// ```swift
    /// let token = try PKCS11Token(module: "/usr/lib/softhsm/libsofthsm2.so", label: "inventory") {
    ///     try await vault.secret("inventory/pin")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - module: The absolute path of the module.
    ///   - label: The token's label, 1 to 32 bytes of UTF-8.
    ///   - serial: The token's serial number, at most 16 bytes, where several tokens have the label: which of the
    ///     copies is used. It is no part of the identifiers of keys.
    ///   - pin: Returns the user's PIN in UTF-8. It is called at each login; the library wipes its copy, but keeps one
    ///     of a PIN that was refused. The text of an error that it throws is logged, so it must not contain the PIN.
    /// - Throws: `StrongroomError` with `invalidArgument` for a path that is not absolute, and for a label or serial
    ///   number that no token has.
    public init(
        module: String, label: String, serial: String? = nil, pin: @escaping @Sendable () async throws -> [UInt8]
    ) throws {
        guard module.hasPrefix("/"), !module.utf8.contains(0) else {
            throw StrongroomError(
                .invalidArgument,
                """
                The path "\(module)" of a PKCS#11 module is not absolute, so another library could be loaded; give it \
                from the root.
                """)
        }
        try self.init(TokenName(label: label, serial: serial), pin) { try CryptokiModule.loaded(module) }
    }

    /// - Parameter module: Called when a key is used.
    init(
        _ name: TokenName, _ pin: @escaping @Sendable () async throws -> [UInt8],
        module: @escaping @Sendable () throws -> CryptokiModule
    ) throws {
        guard (1...32).contains(name.label.utf8.count) else {
            throw StrongroomError(
                .invalidArgument,
                "The label of a token has \(name.label.utf8.count.counting("byte")); one of a token has 1 to 32.")
        }
        guard name.serial.map({ (1...16).contains($0.utf8.count) }) ?? true else {
            throw StrongroomError(
                .invalidArgument, "The serial number of \(name) is longer than 16 bytes or empty; leave it out.")
        }
        (self.name, self.module, self.pin) = (name, module, pin)
    }

    /// A secret AES key of the token, which wraps by AES-GCM, or by AES key wrap (RFC 3394) where the module has no
    /// AES-GCM or the key is not permitted to encrypt and decrypt.
    ///
    /// Only who can log in to the token can wrap: a database that opens with it was encrypted by such a program.
    ///
    /// - Parameters:
    ///   - label: The key's CKA_LABEL, at least 1 byte. Another version of the key has another label.
    ///   - id: The key's CKA_ID. It is part of the identifier, and a slot opens only by its identifier: give it from
    ///     the start or never.
    /// - Returns: The provider for `Key.external`. Its identifier is the key's address by RFC 7512, such as
    ///   `pkcs11:token=inventory;object=databases%201;type=secret-key`.
    /// - Throws: `StrongroomError` with `invalidArgument` for an empty label and for an identifier of more than 255
    ///   bytes.
    public func aesKey(label: String, id: [UInt8]? = nil) throws -> any KeyProvider {
        try PKCS11Key(self, .aes, label: label, id: id)
    }

    /// An RSA key pair of the token, which wraps by RSA-OAEP with SHA-256, or with SHA-1 where the module has no other.
    ///
    /// - Warning: The public key is no secret. An attacker who has it and can write in the directory of a database can
    ///   put an envelope and a database of their own there, which open like yours. Prefer ``aesKey(label:id:)``; take a
    ///   key pair where the token has only such keys, and where nothing but the program can write in the directory.
    ///
    /// - Parameters:
    ///   - label: The CKA_LABEL that both keys of the pair have, at least 1 byte; 2,048 to 16,384 bits.
    ///   - id: Their CKA_ID, from the start or never.
    /// - Returns: The provider for `Key.external`, with `type=private` in its identifier.
    /// - Throws: As ``aesKey(label:id:)``.
    public func rsaKeyPair(label: String, id: [UInt8]? = nil) throws -> any KeyProvider {
        try PKCS11Key(self, .rsa, label: label, id: id)
    }

    /// Runs work in a session that is logged in.
    func perform<T>(_ work: (CryptokiSession) throws -> T) async throws -> T {
        try await module().perform(name, pin: readPIN, work)
    }

    private func readPIN() async throws -> SecretBytes {
        var bytes: [UInt8]
        do { bytes = try await pin() } catch {
            let reason = (error as? StrongroomError)?.message ?? "\(error)."
            throw StrongroomError(.keySource, "The PIN of \(name) could not be read: \(reason)")
        }
        defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
        var text = bytes[...]
        if text.last == UInt8(ascii: "\n") { text = text.dropLast() }
        if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
        // What cannot be a PIN is not tried, since the token counts attempts.
        guard !text.isEmpty, text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw StrongroomError(
                .keySource, "The source of the PIN of \(name) is empty or has several lines; give it the PIN alone.")
        }
        return text.withUnsafeBytes { SecretBytes($0) }
    }
}
