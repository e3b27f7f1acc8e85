/// The keys of a database, oldest first.
///
/// The last key is the current one: new files get it. The others only ever open files that have not been rotated yet.
///
/// ```swift
/// func keyChain(for database: DatabaseName) async throws -> KeyChain {
///     try KeyChain(.passphrase(oldSecret), .passphrase(currentSecret))
/// }
/// ```
public struct KeyChain: Sendable, Equatable {
    /// The keys, oldest first; empty for plaintext.
    let keys: [Key]

    /// No encryption, asked for by name.
    public static let plaintext = KeyChain(unchecked: [])

    /// Makes a chain.
    ///
    /// - Parameter keys: The keys, oldest first, newest last.
    /// - Throws: ``StrongroomError`` with `emptyKeyChain` for no key, `invalidKey` for an empty passphrase, a raw key that is
    ///   not 32 bytes long, a salt that is not 16 bytes long, or a key that stands in the chain twice.
    public init(_ keys: Key...) throws {
        try self.init(keys)
    }

    /// Makes a chain from a list.
    ///
    /// - Parameter keys: The keys, oldest first, newest last.
    /// - Throws: As `init`.
    public init(_ keys: [Key]) throws {
        guard !keys.isEmpty else {
            throw StrongroomError(
                .emptyKeyChain,
                "The key chain is empty. Give at least one key, or ask for an unencrypted file with `KeyChain.plaintext`."
            )
        }
        for (place, key) in keys.enumerated() {
            if let defect = key.defect {
                throw StrongroomError(.invalidKey, "Key \(place + 1) of the chain cannot be used: \(defect).")
            }
            if let twin = keys[..<place].firstIndex(of: key) {
                throw StrongroomError(
                    .invalidKey,
                    "Keys \(twin + 1) and \(place + 1) of the chain are the same; remove one."
                )
            }
        }
        self.keys = keys
    }

    private init(unchecked keys: [Key]) {
        self.keys = keys
    }

    /// The number of keys; 0 for plaintext.
    public var count: Int { keys.count }

    /// Whether the chain stands for an unencrypted file.
    public var isPlaintext: Bool { keys.isEmpty }
}
