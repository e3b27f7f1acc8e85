extension KeyChain {
    /// Reads the keys from a text as in a ``KeyFile``, one per line, oldest first, such as a secret that a service has
    /// delivered; a single passphrase is the whole text.
    ///
    /// ```swift
    /// let keys = try KeyChain(text: secret, source: "The vault's secret")
    /// ```
    ///
    /// A line is a passphrase, or `raw:` and 64 hexadecimal digits. The text is bytes, since a `String` cannot be
    /// overwritten when it is no longer needed; the chain has copies of its own, which it overwrites.
    ///
    /// - Parameters:
    ///   - text: UTF-8, at most 64 KiB; the caller wipes it.
    ///   - source: The subject of the sentences in errors, such as "The vault's secret".
    /// - Throws: ``StrongroomError`` with `keySource` if it is not text, or contains no key or an invalid one;
    ///   `invalidKey` as ``init(_:)-(Key...)``.
    public init(text: [UInt8], source: String = "The text of the keys") throws {
        let reader = KeyText { StrongroomError(.keySource, "\(source) \($0).") }
        guard text.count <= KeyText.largest else {
            throw reader.refusal("has more than \(KeyText.largest) bytes; is it the right one?")
        }
        self = try reader.keyChain(text)
    }

    /// The maximum number of bytes in the text form of keys.
    package static let largestText = KeyText.largest

    /// The same chain, which also opens plaintext files in order to encrypt them; ``plaintext`` is returned unchanged.
    package func openingPlaintext() -> KeyChain {
        isPlaintext || opensPlaintext ? self : KeyChain(unchecked: [.plaintext] + keys)
    }
}
