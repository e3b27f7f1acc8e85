/// The key that an open store keeps of its file, the last of the chain ``Key``, ``DerivedKey``, `ActiveKey`: from what
/// the user gives over what the engine takes to what later connections and rotations need. The key chain is not kept.
struct ActiveKey: Sendable {
    /// What connections are keyed with; nil for plaintext.
    let derivedKey: DerivedKey?
    /// The envelope's data keys and the file's salt; nil for a file that none of them opens.
    let wrapped: (dataKeys: DataKeys, salt: [UInt8])?
    /// Whether nothing in the file itself is left to be rotated.
    let isSettled: Bool
}

extension DatabaseKeys {
    /// What a store keeps of the key that opened the file.
    func activeKey(of unlocked: UnlockedFile) -> ActiveKey {
        let isOnItsKey = unlocked.isCurrent && unlocked.derivedKey?.settings == ciphers.last
        return ActiveKey(
            derivedKey: unlocked.derivedKey,
            wrapped: unlocked.isWrapped ? envelope.map { ($0.dataKeys, $0.databaseSalt) } : nil,
            isSettled: unlocked.isWrapped && isOnItsKey
        )
    }
}
