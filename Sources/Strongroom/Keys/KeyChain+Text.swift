extension KeyChain {
    /// Reads the keys from text as in a ``KeyFile``: one per line, oldest first.
    ///
    /// - Parameters:
    ///   - text: UTF-8, at most 64 KiB; the caller wipes it.
    ///   - source: The source's name in errors, such as "Standard input".
    /// - Throws: ``StrongroomError`` with `keySource` if it is not text, or contains no key or an invalid one;
    ///   `invalidKey` as ``init(_:)-(Key...)``.
    package init(text: [UInt8], source: String) throws {
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
