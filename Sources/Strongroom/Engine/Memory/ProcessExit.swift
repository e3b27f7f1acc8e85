import CPlatform
import CSQLCipher

/// The end of the program by `exit`, or by returning from `main`, while threads use the engine.
///
/// libcrypto, and SQLCipher from 4.7 on, then free their state, with the keys in it, whatever the threads do. These
/// crash, or encrypt a page with what was left of a key and commit it.
enum ProcessExit {
    /// Whether the engine frees its keys although it is in use; to be called after the engine was configured, and
    /// before it is used.
    static let endsEngine: Bool = {
        sqlite3_initialize()
        // `exit` calls what was registered last first: this before the cleanup of the engine.
        guard strongroom_engine_ends_at_exit() != 0 else { return false }
        strongroom_watch_exit()
        return true
    }()

    /// Called between encrypting pages and writing them: those that were encrypted after the keys were freed are not
    /// written.
    ///
    /// - Returns: `SQLITE_OK`; `SQLITE_IOERR` after `exit` was called, for which other threads wait five seconds.
    static func requireKeys() -> Int32 {
        endsEngine && strongroom_wait_for_exit() != 0 ? SQLITE_IOERR : SQLITE_OK
    }
}
