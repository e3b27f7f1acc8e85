extension KeyChain {
    /// The key that encrypts new files; nil for a plaintext chain.
    package var newest: Key? { current }
}
