/// A random key that is written down and stored separately, in case the key chain is lost.
///
/// Its text has eight groups of five characters; the last character of each is a check character for the group and its
/// position: `3VKQ7-M0XHA-…`. It contains 160 random bits. The text has no `O`, `I` or `L`: when read, each counts as
/// the digit `0` or `1` that it resembles.
///
/// ```swift
/// let chain = try KeyChain(.recovery(RecoveryKey("3vkq7 m0xha …")))
/// ```
public struct RecoveryKey: Sendable, Equatable {
    private let secret: SecretBytes

    private static let length = 20
    /// The characters of its text without the separators.
    static let characterCount = 40

    /// A new key from the system's random number generator.
    static func random() -> RecoveryKey {
        RecoveryKey(secret: .random(count: length))
    }

    private init(secret: SecretBytes) {
        self.secret = secret
    }

    /// Parses a recovery key's text.
    ///
    /// - Parameter text: The text, in either case. Spaces and hyphens are ignored, except that they help to identify an
    ///   incorrect group.
    /// - Throws: ``StrongroomError`` with `invalidKey`, which names the incorrect groups; the error contains no part of
    ///   the text.
    public init(_ text: String) throws {
        var bytes = try RecoveryText.bytes(of: text)
        secret = SecretBytes(bytes)
        bytes.withUnsafeMutableBytes { $0.wipe() }
    }

    /// The key as text in capital letters. Show it once; Swift cannot wipe a `String`.
    public var text: String { secret.withUnsafeBytes { RecoveryText.text(of: $0) } }

    /// The raw key of its slot.
    fileprivate var key: Key {
        let raw = Cryptography.expand(
            secret, "strongroom envelope: recovery key", count: Cryptography.keyLength)
        return Key(material: .raw(raw, salt: nil))
    }
}

extension RecoveryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, never the key, which ``text`` returns.
    public var description: String { "RecoveryKey" }
    /// The type's name, never the key.
    public var debugDescription: String { description }
    /// Empty, so that `dump` prints nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Key {
    /// A recovery key as a key of a chain: it opens the envelope for which it was created.
    ///
    /// - Parameter recovery: The recovery key.
    /// - Returns: The key.
    public static func recovery(_ recovery: RecoveryKey) -> Key { recovery.key }
}
