import CSQLCipher

/// The write-ahead log grows with each commit, and a checkpoint copies it into the file. By itself the engine does that
/// inside the commit that makes the log long; here it is done when the commit's caller has its result already.
///
/// See SQLite's documentation, "Write-Ahead Logging", section 2.1 (sqlite.org/wal.html).
extension Connection {
    /// Pages from which on the WAL is checkpointed: the engine's own number.
    private static let longLog = 1_000

    /// How long those readers are waited for, in milliseconds; the next write waits meanwhile.
    static let patience = 100

    /// Takes the checkpoints out of the commits.
    func deferCheckpoints() {
        // It replaces the engine's own hook, which is what `wal_autocheckpoint` is.
        sqlite3_wal_hook(
            pointer,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().wal.length = Int(pages)
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Whether the last commit has left a long log.
    var isCheckpointDue: Bool { wal.length >= Self.longLog }

    /// Checkpoints the WAL, as far as no reader needs it; to be called outside a transaction.
    ///
    /// A failure, such as a full disk, loses nothing: the WAL keeps what it has, and the next commit makes another
    /// attempt due. So it is where another process writes or checkpoints at this moment.
    ///
    /// - Parameter patience: How long other connections are waited for, in milliseconds, where the WAL is too long.
    func checkpointIfDue(patience: Int = patience) {
        let length = wal.length
        wal.length = 0
        guard length >= wal.restartLength else {
            sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            return
        }
        // Whoever gave the last work up has nothing to do with this.
        let wasGivenUp = cancellation.clear()
        defer { if wasGivenUp { cancellation.set() } }
        let result = waiting(at: patience) {
            var frames: Int32 = -1
            let result = sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_RESTART, &frames, nil)
            return (result, isLockedOut: result == SQLITE_BUSY && frames < 0)
        }
        // A reader that stays for long is not waited for again after each commit.
        wal.restartLength = (result == SQLITE_OK ? 0 : length) + WALState.tooLong
    }

    /// Checkpoints the whole WAL and empties it, and waits for the readers that need it.
    ///
    /// - Parameter patience: How long they are waited for, in milliseconds; nil for the busy timeout.
    /// - Returns: How far it came.
    func checkpoint(patience: Int? = nil) throws -> CheckpointReport {
        try waiting(at: patience ?? waiting.timeout) {
            try withOwnStatement("PRAGMA wal_checkpoint(TRUNCATE)") { statement in
                guard try statement.step() else { return (CheckpointReport(isComplete: true, pagesLeft: 0), false) }
                let row = Row(statement)
                let isBusy = try row.integer(at: 0) != 0
                let (pages, done) = (try row.integer(at: 1), try row.integer(at: 2))
                if !isBusy { wal.length = 0 }
                let pagesLeft = isBusy ? Int(max(0, pages - done)) : 0
                return (CheckpointReport(isComplete: !isBusy, pagesLeft: pagesLeft), isLockedOut: isBusy && pages < 0)
            }
        }
    }

    /// As ``checkpoint(patience:)``, after a commit. What cannot be checkpointed stays in the WAL, where the next
    /// opening finds it: the commit has not failed by that, so a failure is reported and not thrown.
    func checkpointAfterCommit(patience: Int? = nil) -> CheckpointReport {
        do {
            return try checkpoint(patience: patience)
        } catch {
            let failure = (error as? StrongroomError) ?? self.failure("The WAL was not checkpointed")
            let pagesLeft = (try? logState()).flatMap(\.self).map { $0.frames - $0.framesInFile }
            return CheckpointReport(isComplete: false, pagesLeft: pagesLeft ?? 0, failure: failure)
        }
    }

    /// Runs a checkpoint, again as long as it is locked out by a write or a checkpoint of another connection, for which
    /// the engine does not wait.
    private func waiting<T>(at patience: Int, _ run: () throws -> (T, isLockedOut: Bool)) rethrows -> T {
        let before = waiting.timeout
        waiting.timeout = patience
        defer { waiting.timeout = before }
        let start = ContinuousClock.now
        while true {
            let (result, isLockedOut) = try run()
            let isLate = (ContinuousClock.now - start).milliseconds >= patience
            guard isLockedOut, !isLate, !cancellation.isSet else { return result }
            pause()
        }
    }
}
