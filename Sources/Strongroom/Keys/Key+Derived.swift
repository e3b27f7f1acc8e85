extension Key {
    /// A raw key that is derived from this one by HKDF-SHA256 without a salt; nil for a key that is not raw: a guess of
    /// a passphrase would cost nothing then.
    ///
    /// - Parameter purpose: The info parameter, which distinguishes the derived keys.
    func derived(_ purpose: String) -> Key? {
        guard case .raw(let raw, _) = material else { return nil }
        return Key(material: .raw(Cryptography.expand(raw, purpose, count: Cryptography.keyLength), salt: nil))
    }
}
