extension Connection {
    /// State of the file that a connection has open.
    struct FileState {
        /// Throws if what was read is not valid because another process has replaced or changed the file; nil for a
        /// connection that writes.
        var check: (() throws -> Void)?
        /// Whether a page of zeros counts as damaged, as in every encrypted file.
        var refusesZeroPages = false
        /// The most memory for decrypted pages, in bytes.
        var pageCache = Connection.defaultPageCache
        /// Whether a transaction could not begin because the file cannot be read with the connection's key.
        var isOfAnotherKey = false
        /// Whether the codec keeps an error as long as the connection is open.
        var codecKeepsErrors = false
        /// Whether the codec is known to have failed for good.
        var hasFailedCodec = false
        /// The number of pages that had been read when the connection was last found to have met no damage.
        var checkedMisses = 0
        /// The data version when it was last compared; see ``Connection/findForeignCommits()``.
        var dataVersion: Int64?
        /// Throws if the program does not know the schema that the file has now, and receives the number of the schema;
        /// nil where nothing is compared.
        var schemaCheck: ((Connection, _ version: Int64) throws -> Void)?
        /// The number of the schema that ``schemaCheck`` has accepted.
        var schemaVersion: Int64?
        /// Whether the schema may have changed since then.
        var mayHaveOtherSchema = true
        /// Whether the connection has prepared a statement that changes a table with a history.
        var hasHistory = false
    }

    /// The length of the write-ahead log.
    struct WALState {
        /// The number of pages from which the WAL is also restarted, which waits for readers that still need it. If
        /// each reader begins before another ends, it would otherwise grow without limit.
        static let tooLong = 4_000
        /// The number of pages from which the WAL is checkpointed: the engine's default.
        static let long = 1_000

        /// The pages in the WAL after the last commit without a checkpoint.
        var length = 0
        /// The length from which the WAL is checkpointed.
        var checkpointLength = long
        /// The length from which the WAL is restarted.
        var restartLength = tooLong
        /// How many pages of it were in the database file after the last checkpoint.
        var checkpointed: Int32 = 0
        private var lengthBefore = 0

        /// - Parameter pages: The pages in the WAL after a commit.
        mutating func recordCommit(_ pages: Int) {
            // The WAL was restarted: what kept a checkpoint from completing is gone.
            if pages < lengthBefore { self = WALState() }
            (length, lengthBefore) = (pages, pages)
        }
    }
}
