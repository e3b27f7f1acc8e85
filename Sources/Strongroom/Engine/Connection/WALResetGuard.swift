import CSQLCipher

/// Guards a connection against the WAL-reset race, which SQLite has from 3.7.0 to 3.51.2 (sqlite.org/wal.html, "The
/// WAL-Reset Bug").
///
/// A checkpoint reads the WAL's header and then compares it with what has been checkpointed already, without a lock
/// that prevents a writer from restarting the WAL in between. It then marks frames as checkpointed that are not, and
/// the commits in them are lost.
///
/// The guard applies to every checkpoint of the connection, whatever starts it, and adds two rules:
/// - A checkpoint holds the write lock from reading the header until it has compared it. So no writer restarts the WAL
///   in between.
/// - A writer holds the checkpoint lock while it restarts the WAL; if another connection holds that lock, the WAL grows
///   instead. So no commit is lost to a checkpoint of a program without a guard either.
///
/// It is enough if one of the two connections in a race is guarded.
final class WALResetGuard: FileLockRule {
    /// Whether the linked engine has the race.
    static let isNeeded = !EngineFeatures.hasWALResetFix(sqliteVersionNumber: Int(sqlite3_libversion_number()))

    /// Whether the engine holds the checkpoint lock.
    private var isCheckpointing = false
    /// Whether the engine has requested the write lock during its checkpoint.
    private var wantsToWrite = false
    /// The slots that are locked in addition to those that the engine has requested.
    private var added: Range<Int32>?

    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32 {
        switch lock.slots {
        case IndexLock.checkpoint:
            let result = change(lock, with: IndexLock.write, proceed)
            isCheckpointing = lock.isLocking && result == SQLITE_OK
            wantsToWrite = false
            return result
        case IndexLock.write where added == IndexLock.write:
            wantsToWrite = lock.isLocking
            return SQLITE_OK
        case IndexLock.walReaders where !isCheckpointing:
            return change(lock, with: IndexLock.checkpoint, proceed)
        default:
            // It has compared the header and found frames to copy: until it has marked them, no connection can restart
            // the WAL.
            let isCopying = added == IndexLock.write && !wantsToWrite
            if isCopying, lock.isLocking, IndexLock.readers.contains(lock.slots.lowerBound) { release(proceed) }
            return proceed(lock)
        }
    }

    /// Locks slots, and before them others that the engine has not requested; or releases them in reverse order.
    private func change(_ lock: IndexLock, with slots: Range<Int32>, _ proceed: (IndexLock) -> Int32) -> Int32 {
        if lock.isLocking {
            let result = proceed(.exclusive(slots, isLocking: true))
            guard result == SQLITE_OK else { return result }
            added = slots
        }
        let result = proceed(lock)
        if !lock.isLocking || result != SQLITE_OK { release(proceed) }
        return result
    }

    private func release(_ proceed: (IndexLock) -> Int32) {
        guard let slots = added.take() else { return }
        _ = proceed(.exclusive(slots, isLocking: false))
    }
}
