extension KeyChain {
    /// A chain of keys that only one database has, each derived by HKDF-SHA256 from a raw key of this chain and the
    /// database's name.
    ///
    /// With one chain for all databases of a family, each key decrypts every file of it. With derived keys the file of
    /// one tenant does not open as that of another (`wrongKey`), and a key that leaks opens one database.
    ///
    /// ```swift
    /// func keyChain(for database: DatabaseName) throws -> KeyChain {
    ///     try KeyChain(environment: "CLINIC_KEYS").derived(for: database)
    /// }
    /// ```
    ///
    /// A file whose name changes needs the keys of its previous name: restore a backup of it with
    /// `chain.derived(for: formerName)` as its keys, and `adoptingFrom:`.
    ///
    /// - Parameters:
    ///   - database: The full name; every byte of it counts.
    ///   - openingShared: Whether the keys of this chain themselves open files, too, which are then rotated to the
    ///     derived keys. Leave it out once every file has been rotated: until then, each of them can replace a file.
    /// - Returns: The chain, with as many derived keys as this one has raw keys, in the same order. ``Key/plaintext``
    ///   stays at its beginning, and ``plaintext`` is returned unchanged.
    /// - Throws: ``StrongroomError`` with `invalidKey` for a passphrase, from which guesses would cost nothing; with
    ///   `openingShared` only if it is the last key.
    public func derived(for database: DatabaseName, openingShared: Bool = false) throws -> KeyChain {
        let shared = keys.filter { $0 != .plaintext }
        let derived = shared.map { $0.derived("strongroom database key: \(database.fileName)") }
        for (index, key) in derived.enumerated() where key == nil && (!openingShared || index == derived.count - 1) {
            throw StrongroomError(
                .invalidKey,
                """
                Key \(index + keys.count - shared.count + 1) of the chain is a passphrase, and a key of one database \
                is derived from a raw key only: write `raw:` and 64 hexadecimal digits, as `strongroom keys make` \
                does, or use `Key.random()`.
                """,
                database: database.fileName)
        }
        guard !isPlaintext else { return self }
        return try KeyChain(
            keys.filter { $0 == .plaintext } + (openingShared ? shared : []) + derived.compactMap(\.self))
    }
}
