/// The key that an open store keeps, the last of the chain ``Key``, ``DerivedKey``, `ActiveKey`: from what the user
/// provides over what the engine takes to what later connections and rotations need. The key chain is not kept.
struct ActiveKey: Sendable {
    /// The key of the connections; nil for plaintext.
    let derivedKey: DerivedKey?
    /// The envelope's data keys and the file's salt; nil for a file that no data key opens.
    let wrapped: (dataKeys: DataKeys, salt: [UInt8])?
    /// Whether the file itself needs no rotation.
    let isSettled: Bool
}

extension DatabaseKeys {
    /// The part that a store keeps of the key that opened the file.
    func activeKey(of unlocked: UnlockedFile) -> ActiveKey {
        let isOnItsKey = unlocked.isCurrent && unlocked.derivedKey?.settings == ciphers.last
        return ActiveKey(
            derivedKey: unlocked.derivedKey,
            wrapped: unlocked.isWrapped ? envelope.map { ($0.dataKeys, $0.databaseSalt) } : nil,
            isSettled: unlocked.isWrapped && isOnItsKey
        )
    }
}
