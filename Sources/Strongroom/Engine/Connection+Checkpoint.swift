import CSQLCipher

/// The write-ahead log grows with each commit, and a checkpoint brings it into the file. By itself the engine does that inside the
/// commit that makes the log long; here it is done when the commit's caller has its result already.
///
/// See SQLite's documentation, «Write-Ahead Logging», section 2.1 (sqlite.org/wal.html).
extension Connection {
    /// Pages from which on the log is brought into the file: the engine's own number.
    private static let longLog = 1_000

    /// Takes the checkpoints out of the commits.
    func deferCheckpoints() {
        // It replaces the engine's own hook, which is what `wal_autocheckpoint` is.
        sqlite3_wal_hook(
            pointer,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logLength = Int(pages)
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Whether the last commit has left a long log.
    var isCheckpointDue: Bool { logLength >= Self.longLog }

    /// Brings the log into the file, as far as no reader needs it; to be called outside a transaction.
    ///
    /// A failure, such as a full disk, loses nothing: the log keeps what it has, and the next commit makes another attempt due.
    func checkpoint() {
        logLength = 0
        sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
