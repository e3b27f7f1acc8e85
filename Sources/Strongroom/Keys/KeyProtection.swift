/// How the keys of a chain protect a database's file.
public enum KeyProtection: Sendable, Hashable {
    /// The current key encrypts the file: rotating to another one rewrites it.
    case direct
    /// The file is encrypted with a random data key. The chain's keys wrap it in an envelope beside the file,
    /// `FILE.keys` and its copy `FILE.keys.copy`. Rotating, adding or revoking a key rewrites only these two files,
    /// under 64 KiB each, whatever the size of the database.
    ///
    /// Both belong to the database: if both are lost, the file cannot be opened.
    case envelope
}

/// The key of a chain that opens a file, or the envelope with the file's key.
public struct KeyUse: Sendable, Hashable {
    /// The key's index in the chain: 0 is the oldest.
    public let position: Int
    /// The number of keys in the chain.
    public let count: Int

    /// Whether it is the current key. If not, the file has not been rotated yet.
    public var isCurrent: Bool { position == count - 1 }
}

extension KeyUse: CustomStringConvertible {
    /// A description for people, counted from 1, the oldest: `key 2 of 3`.
    public var description: String { "key \(position + 1) of \(count)" }
}
