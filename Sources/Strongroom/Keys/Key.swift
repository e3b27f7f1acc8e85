/// A key of a database: a passphrase or 32 random bytes.
///
/// The key is held in memory that is wiped when the last copy goes away; it has no printable form, cannot be encoded,
/// and is compared in constant time. A `String` that you made the key from is yours: Swift gives no way to wipe it.
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
        case plaintext
        case invalid(String)
    }

    let material: Material

    /// A passphrase: all bytes of its UTF-8 form.
    ///
    /// "é" in composed and in decomposed form are two different passphrases: the bytes differ.
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

    /// What CTPersistance made of a passphrase: as many bytes of its UTF-8 form as it has UTF-16 units, so that of
    /// "пароль" half is left.
    ///
    /// It opens the files that CTPersistance wrote, which are then rotated. It cannot be the current key, which is the
    /// last of a chain.
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

    /// No key: at the beginning of a chain it lets a plaintext file be opened, which is then encrypted with the current
    /// key.
    ///
    /// With ``RotationPolicy/onOpen`` it is encrypted while it is opened; with another policy it stays plaintext, and
    /// is read and written so, until `Store.rotate()` is called. For a file that is to stay plaintext there is
    /// ``KeyChain/plaintext``.
    ///
    /// ```swift
    /// try KeyChain(.plaintext, .passphrase("correct horse"))
    /// ```
    public static let plaintext = Key(material: .plaintext)

    /// A raw key, used as it is, without a derivation.
    ///
    /// - Parameters:
    ///   - bytes: 32 bytes, which ``KeyChain`` checks.
    ///   - salt: nil, or the 16 bytes that a new file starts with; without it the engine makes them.
    /// - Returns: The key.
    public static func raw(_ bytes: [UInt8], salt: [UInt8]? = nil) -> Key {
        guard bytes.count == 32 else {
            return Key(material: .invalid("a raw key has \(bytes.count) bytes where 32 are needed"))
        }
        if let salt, salt.count != 16 {
            return Key(material: .invalid("a salt has \(salt.count) bytes where 16 are needed"))
        }
        return Key(material: .raw(SecretBytes(bytes), salt: salt))
    }

    /// A raw key of 32 bytes from the system's random number generator.
    ///
    /// - Returns: The key.
    public static func random() -> Key {
        Key(material: .raw(.random(count: Cryptography.keyLength), salt: nil))
    }

    /// The salt that a new file starts with; nil when any will do.
    var salt: [UInt8]? {
        guard case .raw(_, let salt) = material else { return nil }
        return salt
    }

    /// Whether it may be the key of a new file.
    var canBeCurrent: Bool {
        switch material {
        case .truncated, .plaintext: false
        default: true
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
        case .plaintext: "Key(plaintext)"
        case .invalid: "Key(invalid)"
        }
    }

    /// The kind of the key; never its content.
    public var debugDescription: String { description }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
