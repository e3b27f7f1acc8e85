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
