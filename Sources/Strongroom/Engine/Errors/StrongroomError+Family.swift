extension StrongroomError {
    /// What a failure is about, and so who can do something about it.
    ///
    /// There are ten families, and no later version adds one, so that a `switch` needs no default:
    ///
    /// ```swift
    /// switch error.family {
    /// case .contention: retryLater()
    /// case .keys: askForTheKey()
    /// case .damage: restoreFromBackup()
    /// case .system, .replication: callTheOperator(error.message)
    /// case .data: reject(error.message)
    /// case .file, .query, .usage, .schema: report(error)
    /// }
    /// ```
    public enum Family: String, Sendable, CaseIterable {
        /// The keys, or the envelope with them, do not fit: give others.
        case keys
        /// The file's content is damaged: restore a backup, recover or salvage.
        case damage
        /// The file at the path is none that the library can use: correct the path, or move the file.
        case file
        /// The machine does not allow it or is out of something: permissions, space, memory, the engine.
        case system
        /// Somebody else was at it, or it took too long: try again.
        case contention
        /// A record, a row or a request does not fit: correct it.
        case data
        /// The engine cannot run the statement or the query: correct it, or link another engine.
        case query
        /// The program uses the library in a way that it does not allow, or is configured wrongly: correct the program.
        case usage
        /// The file's schema, the declared tables and the migrator do not fit together: migrate, or correct them.
        case schema
        /// The replica or its object store.
        case replication
    }

    /// The family of ``code``.
    public var family: Family { code.family }

    /// Whether the same call may succeed later; see ``Code-swift.struct/canRetry``.
    public var canRetry: Bool { code.canRetry }
}
