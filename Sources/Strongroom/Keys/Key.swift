import Foundation
import Synchronization

/// A key of a database: a passphrase, 32 random bytes, a key outside the process, or a key pair.
///
/// The key is held in memory that is wiped when the last copy is released; it has no printable form, cannot be encoded,
/// and is compared in constant time. A `String` from which you created the key remains yours: Swift cannot wipe it.
///
/// ```swift
/// let old = Key.passphrase("correct horse")
/// let new = Key.random()
/// ```
public struct Key: Sendable, Equatable {
    enum Material: Equatable {
        case passphrase(SecretBytes)
        /// A passphrase of which CTPersistance used only a part.
        case truncated(SecretBytes)
        case raw(SecretBytes, salt: [UInt8]?)
        /// Wraps the key of an envelope; its bytes are never in the process.
        case external(ExternalKey)
        /// Keys of X25519, to which the key of an envelope is sealed; without the private one it opens nothing.
        case pair(publicKey: [UInt8], privateKey: SecretBytes?)
        case plaintext
        case invalid(String)
    }

    let material: Material

    /// A passphrase: all bytes of its UTF-8 form.
    ///
    /// "é" in composed and in decomposed form are two different passphrases: the bytes differ.
    ///
    /// A text in SQLCipher's notation of raw keys, `x'…'` with 64 or 96 hexadecimal digits, can only be an older key of
    /// a chain: other programs take it for a raw key, which is ``raw(_:salt:)`` here.
    ///
    /// - Parameter text: The passphrase; at least one character, which ``KeyChain`` checks.
    /// - Returns: The key.
    public static func passphrase(_ text: String) -> Key {
        var text = text
        return text.withUTF8 { passphrase(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// A passphrase given as bytes.
    ///
    /// - Parameter bytes: The passphrase; at least one byte, which ``KeyChain`` checks. The bytes are copied.
    /// - Returns: The key.
    public static func passphrase(bytes: UnsafeRawBufferPointer) -> Key {
        guard !bytes.isEmpty else { return Key(material: .invalid("a passphrase is empty")) }
        return Key(material: .passphrase(SecretBytes(bytes)))
    }

    /// The part of a passphrase that CTPersistance used: as many bytes of its UTF-8 form as it has UTF-16 units, which
    /// is half of "пароль".
    ///
    /// It opens files written by CTPersistance, which are then rotated. It cannot be the current key, which is the last
    /// of a chain.
    ///
    /// ```swift
    /// try KeyChain(.legacyUTF16("пароль"), .passphrase("пароль"))
    /// ```
    ///
    /// - Parameter text: The passphrase that was given to CTPersistance.
    /// - Returns: The key.
    public static func legacyUTF16(_ text: String) -> Key {
        guard !text.isEmpty else { return Key(material: .invalid("a passphrase is empty")) }
        var bytes = Array(text.utf8.prefix(text.utf16.count))
        defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
        return Key(material: .truncated(SecretBytes(bytes)))
    }

    /// No key: at the beginning of a chain it allows a plaintext file to be opened, which is then encrypted with the
    /// current key.
    ///
    /// With ``RotationPolicy/onOpen`` the file is encrypted while it is opened; with another policy it stays plaintext,
    /// and is read and written as such, until `Store.rotate()` is called. For a file that stays plaintext use
    /// ``KeyChain/plaintext``.
    ///
    /// ```swift
    /// try KeyChain(.plaintext, .passphrase("correct horse"))
    /// ```
    public static let plaintext = Key(material: .plaintext)

    /// A raw key, used without a derivation.
    ///
    /// - Parameters:
    ///   - bytes: 32 bytes, which ``KeyChain`` checks.
    ///   - salt: The 16 bytes that a new file starts with; nil lets the engine generate them.
    /// - Returns: The key.
    public static func raw(_ bytes: [UInt8], salt: [UInt8]? = nil) -> Key {
        guard bytes.count == 32 else {
            return Key(material: .invalid("a raw key has \(bytes.count.counting("byte")) where 32 are needed"))
        }
        if let salt, salt.count != 16 {
            return Key(material: .invalid("a salt has \(salt.count.counting("byte")) where 16 are needed"))
        }
        return Key(material: .raw(SecretBytes(bytes), salt: salt))
    }

    /// A raw key of 32 bytes from the system's random number generator.
    ///
    /// - Returns: The key.
    public static func random() -> Key {
        Key(material: .raw(.random(count: Cryptography.keyLength), salt: nil))
    }

    /// The salt that a new file starts with; nil for any.
    var salt: [UInt8]? {
        guard case .raw(_, let salt) = material else { return nil }
        return salt
    }

    /// Whether it may be the key of a new file.
    var canBeCurrent: Bool {
        switch material {
        case .truncated, .plaintext, .pair(_, nil): false
        case .passphrase: !looksRaw
        case .raw, .external, .pair, .invalid: true
        }
    }

    /// Whether a file can be encrypted with it.
    var encryptsFiles: Bool {
        switch material {
        case .plaintext, .external, .pair: false
        case .passphrase, .truncated, .raw, .invalid: true
        }
    }

    /// Whether it is a passphrase that other programs with SQLCipher take for a raw key: `x'`, 64 hexadecimal digits,
    /// 96 with the salt, and one more character. See "SQLCipher API", "Raw Key Data"
    /// (zetetic.net/sqlcipher/sqlcipher-api).
    var looksRaw: Bool {
        guard case .passphrase(let bytes) = material else { return false }
        return bytes.withUnsafeBytes { bytes in
            guard [67, 99].contains(bytes.count), bytes[0] | 0x20 == UInt8(ascii: "x"), bytes[1] == UInt8(ascii: "'")
            else { return false }
            return bytes[2..<bytes.count - 1].allSatisfy { $0.hexadecimalValue != nil }
        }
    }

    /// Why the key cannot be used, or nil.
    var defect: String? {
        guard case .invalid(let reason) = material else { return nil }
        return reason
    }
}

extension Key: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the key; never its content.
    public var description: String {
        switch material {
        case .passphrase: "Key(passphrase)"
        case .truncated: "Key(legacy passphrase)"
        case .raw: "Key(raw)"
        case .external: "Key(external)"
        case .pair(_, let privateKey): privateKey == nil ? "Key(public key)" : "Key(private key)"
        case .plaintext: "Key(plaintext)"
        case .invalid: "Key(invalid)"
        }
    }

    /// The kind of the key; never its content.
    public var debugDescription: String { description }

    /// Empty, so that `dump` prints nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Key {
    /// A raw key that is derived from this one by HKDF-SHA256 without a salt; nil for a key that is not raw: a guess of
    /// a passphrase would cost nothing then.
    func derived(_ purpose: String) -> Key? {
        guard case .raw(let raw, _) = material else { return nil }
        return Key(material: .raw(Cryptography.expand(raw, purpose, count: Cryptography.keyLength), salt: nil))
    }
}

/// The key material of a connection: the raw key and the file's salt.
///
/// Derived once for each open; all connections of the store share it without another derivation.
struct DerivedKey: Sendable, Equatable {
    let raw: SecretBytes
    let salt: [UInt8]
    let settings: CipherSettings

    /// The number of derivations from a passphrase in this process: one for each open, which takes most of its time.
    static let derivations = Atomic<Int>(0)

    init(_ key: Key, salt: [UInt8], settings: CipherSettings) throws {
        self.salt = salt
        self.settings = settings
        switch key.material {
        case .passphrase(let passphrase), .truncated(let passphrase):
            Self.derivations.add(1, ordering: .relaxed)
            raw = try passphrase.withUnsafeBytes { bytes in
                try Cryptography.pbkdf2(
                    bytes, salt: salt, hash: settings.derivationHash, rounds: settings.iterations,
                    count: Cryptography.keyLength)
            }
        case .raw(let raw, _):
            self.raw = raw
        case .external(let external):
            throw StrongroomError(
                .invalidKey,
                """
                The external key "\(external.identifier)" encrypts no file: it only wraps the key in an envelope, \
                which `KeyProtection.envelope` gives a database.
                """)
        case .pair:
            throw StrongroomError(
                .invalidKey,
                """
                A public or private key encrypts no file: it only wraps the key in an envelope, which \
                `KeyProtection.envelope` gives a database.
                """)
        case .plaintext:
            throw StrongroomError(.invalidKey, "`Key.plaintext` encrypts nothing.")
        case .invalid(let reason):
            throw StrongroomError(.invalidKey, "The key cannot be used: \(reason).")
        }
    }

    /// Lends the bytes that the engine's keying functions take: `x'…'` with the raw key and the salt.
    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
        let text = SecretBytes(count: 2 * (raw.count + salt.count) + 3) { text in
            text.copyBytes(from: "x'".utf8)
            raw.withUnsafeBytes { text.writeHexadecimal($0, at: 2) }
            salt.withUnsafeBytes { text.writeHexadecimal($0, at: 2 + 2 * raw.count) }
            text[text.count - 1] = UInt8(ascii: "'")
        }
        return try text.withUnsafeBytes(body)
    }
}

extension UnsafeMutableRawBufferPointer {
    func writeHexadecimal(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x57) }
        for (index, byte) in bytes.enumerated() {
            self[start + 2 * index] = digit(byte >> 4)
            self[start + 2 * index + 1] = digit(byte & 0xF)
        }
    }
}

extension Sequence<UInt8> {
    var hexadecimal: String { map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined() }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII; nil for another byte.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}
