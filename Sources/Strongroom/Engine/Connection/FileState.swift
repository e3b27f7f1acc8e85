extension Connection {
    /// What is known of the file that a connection has open.
    struct FileState {
        /// Throws where what was read does not count, since others have replaced or changed the file; nil for a
        /// connection that writes.
        var check: (() throws -> Void)?
        /// Whether a page of zeros is damage to it, as in every encrypted file.
        var refusesZeroPages = false
        /// Whether a transaction could not be begun since the file cannot be read with the connection's key.
        var isOfAnotherKey = false
    }

    /// How long the write-ahead log is.
    struct WALState {
        /// Pages from which on the WAL is also begun anew, for which the readers that still need it are waited for.
        /// Where one reader always begins before another ends, it would grow for ever otherwise.
        static let tooLong = 4_000

        /// The pages after the last commit that has not been followed by a checkpoint.
        var length = 0
        /// The length from which on it is begun anew.
        var restartLength = tooLong
    }
}
