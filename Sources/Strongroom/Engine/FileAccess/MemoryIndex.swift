import CSQLCipher

/// Lets a read-only connection read a file with its WAL when there is no space for the `-shm` file.
///
/// With the exclusive lock the engine keeps the WAL index in heap memory (sqlite.org/wal.html, "Use of WAL Without
/// Shared-Memory"). Here the engine requests the exclusive lock but only the shared one is taken: a read-only
/// connection needs no more, and several of them can read at the same time. What is read is valid only if file and WAL
/// are unchanged afterwards.
final class MemoryIndex: FileLockRule {
    private var isOpen = false

    func lockFile(_ level: Int32, _ proceed: (Int32) -> Int32) -> Int32 {
        guard level == SQLITE_LOCK_EXCLUSIVE else { return proceed(level) }
        // Requested again when the connection is closed: a connection that holds it checkpoints the WAL then and
        // removes it.
        guard !isOpen else { return SQLITE_BUSY }
        isOpen = true
        return SQLITE_OK
    }
}
