/// A database's file with the key that opens it, and the connection on which that key has been proved.
struct UnlockedFile {
    /// The index in the chain, oldest first, of the key that opens the file or its envelope; nil for a chain that
    /// stands for plaintext.
    var position: Int?
    /// Whether it is the key that the file is to have.
    var isCurrent = true
    /// Whether it is a data key, out of the file's envelope.
    var isWrapped = false
    /// What further connections are keyed with; nil for plaintext.
    let derivedKey: DerivedKey?
    /// The key that the file is to have, with the current settings, if it has been derived while the one that fits was
    /// looked for.
    var currentKey: DerivedKey?
    /// A connection on which the key has been proved; it cannot write when a killed process left a log beside the file.
    var connection: Connection
}
