import CSQLCipher

/// Lets a connection that cannot write read a file with its WAL where there is no space for the WAL's index.
///
/// With the exclusive lock the engine keeps the index in its memory (sqlite.org/wal.html, "Use of WAL Without
/// Shared-Memory"). Here it has the shared one, and is told that it has the other: a connection that cannot write needs
/// no more, and several of them read at the same time. What is read counts only when file and WAL are afterwards as
/// they were before.
final class MemoryIndex: FileLockRule {
    private var isOpen = false

    func lockFile(_ level: Int32, _ proceed: (Int32) -> Int32) -> Int32 {
        guard level == SQLITE_LOCK_EXCLUSIVE else { return proceed(level) }
        // Asked for once more when the connection is closed: a connection that has it checkpoints the WAL then and
        // removes it.
        guard !isOpen else { return SQLITE_BUSY }
        isOpen = true
        return SQLITE_OK
    }
}
