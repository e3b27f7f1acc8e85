extension KeyChain {
    /// Reads the keys from text as in a ``KeyFile``: one a line, oldest first.
    ///
    /// - Parameters:
    ///   - text: UTF-8, at most 64 KiB; whoever gives it wipes it.
    ///   - source: What errors call it, such as "Standard input".
    /// - Throws: ``StrongroomError`` with `keySource` for what is no text, or has no key or one that cannot be used;
    ///   `invalidKey` as ``init(_:)-(Key...)``.
    package init(text: [UInt8], source: String) throws {
        let reader = KeyText { StrongroomError(.keySource, "\(source) \($0).") }
        guard text.count <= KeyText.largest else {
            throw reader.refusal("has more than \(KeyText.largest) bytes; is it the right one?")
        }
        self = try reader.keyChain(text)
    }

    /// The most bytes that keys as text may have.
    package static let largestText = KeyText.largest

    /// The same chain, which also opens plaintext files, to have them encrypted; ``plaintext`` stays as it is.
    package func openingPlaintext() -> KeyChain {
        isPlaintext || opensPlaintext ? self : KeyChain(unchecked: [.plaintext] + keys)
    }
}
