/// What an open store knows of its file's key.
struct FileKey: Sendable {
    /// What connections are keyed with; nil for plaintext.
    let derived: DerivedKey?
    /// The envelope's data keys and the file's salt; nil for a file that none of them opens.
    let envelope: (dataKeys: DataKeys, salt: [UInt8])?
    /// Whether nothing in the file itself is left to be rotated.
    let isSettled: Bool
}

extension FileKeys {
    /// What a store keeps of the key that opened the file; the chain is not kept.
    func key(_ choice: KeyChoice) -> FileKey {
        let isOnItsKey = choice.isCurrent && choice.derived?.settings == ciphers.last
        return FileKey(
            derived: choice.derived,
            envelope: choice.isWrapped
                ? envelope.map { ($0.envelope.dataKeys, $0.envelope.envelope.databaseSalt) } : nil,
            isSettled: choice.isWrapped && isOnItsKey
        )
    }
}
