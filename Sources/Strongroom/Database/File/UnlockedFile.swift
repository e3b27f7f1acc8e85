/// A database's file with the key that opens it, and the connection that has proved the key.
struct UnlockedFile {
    /// The index in the chain, oldest first, of the key that opens the file or its envelope; nil for a plaintext chain.
    var position: Int?
    /// Whether the file has the key that it should have.
    var isCurrent = true
    /// Whether it is a data key from the file's envelope.
    var isWrapped = false
    /// The key of further connections; nil for plaintext.
    let derivedKey: DerivedKey?
    /// The key that the file should have, with the current settings, if it was derived during the search for the
    /// matching key.
    var currentKey: DerivedKey?
    /// A connection that has proved the key; it is read-only if a killed process has left a WAL beside the file.
    var connection: Connection
}
