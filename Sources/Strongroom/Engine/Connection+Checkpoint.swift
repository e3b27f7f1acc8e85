import CSQLCipher
import Synchronization

/// The write-ahead log grows with each commit, and a checkpoint brings it into the file. By itself the engine does that inside the
/// commit that makes the log long; here it is done when the commit's caller has its result already.
///
/// See SQLite's documentation, «Write-Ahead Logging», section 2.1 (sqlite.org/wal.html).
extension Connection {
    /// Pages from which on the log is brought into the file: the engine's own number.
    private static let longLog = 1_000

    /// Pages from which on the log is also begun anew, for which the readers that still need it are waited for. Where one reader
    /// always begins before another ends, it would grow for ever otherwise.
    static let tooLongLog = 4_000

    /// How long those readers are waited for, in milliseconds; the next write waits meanwhile.
    static let patience = 100

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
    ///
    /// - Parameter patience: How long readers are waited for, in milliseconds, where the log is too long.
    func checkpointIfDue(patience: Int = patience) {
        let length = logLength
        logLength = 0
        guard length >= restartLength else {
            sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            return
        }
        // Whoever gave the last work up has nothing to do with this.
        let wasGivenUp = isGivenUp.exchange(false, ordering: .relaxed)
        defer { if wasGivenUp { isGivenUp.store(true, ordering: .relaxed) } }
        let before = busyTimeout
        busyTimeout = patience
        defer { busyTimeout = before }
        let result = sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_RESTART, nil, nil)
        // A reader that stays for long is not waited for again after each commit.
        restartLength = (result == SQLITE_OK ? 0 : length) + Self.tooLongLog
    }

    /// Brings the whole log into the file and empties it, and waits for the readers that need it, at most as long as the busy timeout.
    ///
    /// - Returns: How far it came.
    func checkpoint() throws -> CheckpointReport {
        try withOwnStatement("PRAGMA wal_checkpoint(TRUNCATE)") { statement in
            guard try statement.step() else { return CheckpointReport(isComplete: true, pagesLeft: 0) }
            let row = Row(statement)
            let (isBusy, pages, done) = (try row.integer(at: 0) != 0, try row.integer(at: 1), try row.integer(at: 2))
            if !isBusy { logLength = 0 }
            return CheckpointReport(isComplete: !isBusy, pagesLeft: isBusy ? Int(max(0, pages - done)) : 0)
        }
    }
}
