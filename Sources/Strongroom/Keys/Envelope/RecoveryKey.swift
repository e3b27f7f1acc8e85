/// A random key that is written down and kept apart, for the day when the key chain is lost.
///
/// Its text has eight groups of five characters, the last of each a check of the group and its place: `3VKQ7-M0XHA-…`.
/// It holds 160 random bits. There is neither `0` and `O` nor `1`, `I` and `L` to be mixed up: each is read as the
/// digit.
///
/// ```swift
/// let chain = try KeyChain(.recovery(RecoveryKey("3vkq7 m0xha …")))
/// ```
public struct RecoveryKey: Sendable, Equatable {
    private let secret: SecretBytes

    private static let length = 20

    /// A new one from the system's random number generator.
    static func random() -> RecoveryKey {
        RecoveryKey(secret: .random(count: length))
    }

    private init(secret: SecretBytes) {
        self.secret = secret
    }

    /// Reads a recovery key's text.
    ///
    /// - Parameter text: The text, in either case; spaces and hyphens do not count, except that they help to name the
    ///   group that is wrong.
    /// - Throws: ``StrongroomError`` with `invalidKey`, which names the groups in which there is a mistake; none of the
    ///   text is in it.
    public init(_ text: String) throws {
        var bytes = try RecoveryText.bytes(of: text)
        secret = SecretBytes(bytes)
        bytes.withUnsafeMutableBytes { $0.wipe() }
    }

    /// The key as text in capital letters. Show it once; Swift gives no way to wipe a `String`.
    public var text: String { secret.withUnsafeBytes { RecoveryText.text(of: $0) } }

    /// The raw key of its slot.
    fileprivate var key: Key {
        let raw = Cryptography.expand(
            secret, "strongroom envelope: recovery key", count: Cryptography.keyLength)
        return Key(material: .raw(raw, salt: nil))
    }
}

extension RecoveryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never its content, which ``text`` gives.
    public var description: String { "RecoveryKey" }
    /// Never its content.
    public var debugDescription: String { description }
    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Key {
    /// A recovery key as a key of a chain: it opens the envelope that it was made for.
    ///
    /// - Parameter recovery: The recovery key.
    /// - Returns: The key.
    public static func recovery(_ recovery: RecoveryKey) -> Key { recovery.key }
}
