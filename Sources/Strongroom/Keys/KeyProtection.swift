/// What the keys of a chain do for a database's file.
public enum KeyProtection: Sendable, Hashable {
    /// The current key encrypts the file: rotating to another one rewrites it.
    case direct
    /// The file is encrypted with a random data key. The chain's keys wrap it in an envelope beside the file,
    /// `FILE.keys` and its copy `FILE.keys.copy`: rotating, adding and revoking a key rewrites these two alone, under
    /// 64 KiB each, whatever the size of the database.
    ///
    /// Both belong to the database: without one of them nobody can open the file.
    case envelope
}
