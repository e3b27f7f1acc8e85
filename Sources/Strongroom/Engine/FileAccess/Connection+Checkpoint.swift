import CSQLCipher

/// How far the write-ahead log was checkpointed.
///
/// What is left in the WAL is as durable as the rest, and a later checkpoint copies it. Until then the database
/// consists of both files: the file itself and the one whose name ends in `-wal`.
public struct CheckpointReport: Sendable {
    /// Whether the entire WAL has been checkpointed.
    public let isComplete: Bool
    /// The pages that are only in the WAL, because a reader still needs the older ones, or because the checkpoint
    /// failed.
    public let pagesLeft: Int
    /// Why the checkpoint failed, such as with `diskFull`, where closing a store succeeds without it; nil if it did not
    /// fail.
    public var failure: StrongroomError?
}

/// The write-ahead log grows with each commit, and a checkpoint copies it into the database file. By default the engine
/// checkpoints inside the commit that makes the WAL long; here it happens after the caller of the commit has its
/// result.
///
/// See SQLite's documentation, "Write-Ahead Logging", section 2.1 (sqlite.org/wal.html).
extension Connection {
    /// How long to wait for readers, in milliseconds; the next write is delayed by as much.
    static let patience = 100

    func deferCheckpoints() {
        // It replaces the engine's own hook, which implements `wal_autocheckpoint`.
        sqlite3_wal_hook(
            pointer,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().wal.recordCommit(Int(pages))
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    var isCheckpointDue: Bool { wal.length >= wal.checkpointLength }

    /// Checkpoints the WAL, except for pages that a reader still needs; to be called outside a transaction.
    ///
    /// A failure, such as a full disk, loses nothing: the WAL keeps its content, and the next commit makes another
    /// attempt due. The same applies while another process writes or checkpoints. While a reader keeps everything that
    /// is left from being copied, an attempt is due after each further 1,000 pages.
    ///
    /// - Parameter patience: How long to wait for other connections, in milliseconds, if the WAL is too long.
    func checkpointIfDue(patience: Int = patience) {
        let length = wal.length
        wal.length = 0
        guard length >= wal.restartLength else {
            var (frames, framesInFile): (Int32, Int32) = (-1, -1)
            sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &framesInFile)
            // If nothing can be copied: the engine sorts all frames before it finds that out.
            let isHindered = frames != framesInFile && framesInFile <= wal.checkpointed
            wal.checkpointLength = (isHindered ? length : 0) + WALState.long
            wal.checkpointed = framesInFile
            return
        }
        // The cancellation of the last work does not apply to the checkpoint.
        let wasGivenUp = cancellation.clear()
        defer { if wasGivenUp { cancellation.set() } }
        var frames: Int32 = -1
        let result = waiting(at: patience) {
            frames = -1
            let result = sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_RESTART, &frames, nil)
            return (result, isLockedOut: result == SQLITE_BUSY && frames < 0)
        }
        // A long read is not waited for again after each commit.
        wal.restartLength = (result == SQLITE_OK ? 0 : length) + WALState.tooLong
        let isHindered = result == SQLITE_BUSY && frames >= 0
        wal.checkpointLength = (isHindered ? length : 0) + WALState.long
    }

    /// Checkpoints the entire WAL and truncates it, and waits for the readers that need it.
    func checkpoint(patience: Int? = nil) throws -> CheckpointReport {
        try waiting(at: patience ?? waiting.timeout) {
            try withOwnStatement("PRAGMA wal_checkpoint(TRUNCATE)") { statement in
                guard try statement.step() else { return (CheckpointReport(isComplete: true, pagesLeft: 0), false) }
                let row = Row(statement)
                let isBusy = try row.integer(at: 0) != 0
                let (pages, done) = (try row.integer(at: 1), try row.integer(at: 2))
                if !isBusy { wal = WALState() }
                let pagesLeft = isBusy ? Int(max(0, pages - done)) : 0
                return (CheckpointReport(isComplete: !isBusy, pagesLeft: pagesLeft), isLockedOut: isBusy && pages < 0)
            }
        }
    }

    /// As ``checkpointAfterCommit(patience:)`` before the connection is closed, without truncating a WAL that is empty,
    /// as after reads alone: that takes the file system as long as truncating another.
    func checkpointBeforeClose(patience: Int) -> CheckpointReport {
        var report =
            isLogEmpty ? CheckpointReport(isComplete: true, pagesLeft: 0) : checkpointAfterCommit(patience: patience)
        do {
            try checkPath()
        } catch {
            report.failure = error as? StrongroomError
        }
        return report
    }

    /// Whether the file of the WAL is open and has no content.
    var isLogEmpty: Bool {
        // Before the first read the engine has not opened it.
        guard let file = openFile(SQLITE_FCNTL_JOURNAL_POINTER) else { return false }
        var size: sqlite3_int64 = -1
        return file.pointee.pMethods.pointee.xFileSize(file, &size) == SQLITE_OK && size == 0
    }

    /// As ``checkpoint(patience:)``, after a commit. What cannot be checkpointed stays in the WAL, where it is read
    /// when the database is opened next: the commit has succeeded all the same, so a failure is reported and not
    /// thrown.
    func checkpointAfterCommit(patience: Int? = nil) -> CheckpointReport {
        do {
            return try checkpoint(patience: patience)
        } catch {
            var failure = (error as? StrongroomError) ?? self.failure("The WAL was not checkpointed")
            // The advice for a statement that has failed: who ran it again would have every row twice.
            if failure.code == .diskFull { failure = diskFullAfterCommit(failure.resultCode) }
            let pagesLeft = (try? publishedLog()).flatMap(\.self).map { $0.frames - $0.framesInFile }
            return CheckpointReport(isComplete: false, pagesLeft: pagesLeft ?? 0, failure: failure)
        }
    }

    private func diskFullAfterCommit(_ resultCode: ResultCode?) -> StrongroomError {
        StrongroomError(
            .diskFull,
            """
            The disk is full. Free space: the next checkpoint copies the WAL, and nothing has to be written a second \
            time.
            """,
            database: database, resultCode: resultCode)
    }

    /// Preserves the WAL and its index when this connection is the last that closes the file: both are empty then, and
    /// the next connection need not create them.
    ///
    /// Creating and deleting files is slow: ext4 does not reuse the inode number of a deleted file for five seconds,
    /// and searches for another among all of these.
    ///
    /// See SQLite's documentation of `SQLITE_FCNTL_PERSIST_WAL`, sqlite.org/c3ref/c_fcntl_begin_atomic_write.html.
    func keepLog() {
        // What other processes have written since the checkpoint is truncated, too, so that no frames are left that
        // would seem to belong to a file that replaces this one.
        guard (try? run("PRAGMA journal_size_limit = 0")) != nil else { return }
        var isPersistent: Int32 = 1
        sqlite3_file_control(pointer, "main", SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
    }

    /// Runs a checkpoint, and retries it while a write or checkpoint of another connection locks it out, for which the
    /// engine does not wait.
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

extension Connection {
    /// Checkpoints what no reader needs in the WAL, without waiting; to be called outside a transaction.
    ///
    /// - Returns: Whether no other checkpoint was running.
    func checkpointWithoutWaiting() -> Bool {
        sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil) == SQLITE_OK
    }
}
