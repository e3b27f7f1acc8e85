/// Exclusive access to a file.
extension Connection {
    /// Tries once to lock out every other connection of this process and of others. For a file in WAL mode this fails
    /// even if another connection is idle; for a file in another mode an idle connection without a lock is not
    /// detected.
    ///
    /// The connection must have been used only for reading. It has to be closed to release the file.
    ///
    /// - Returns: False if another connection has the file open.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    func acquireExclusiveAccess() throws -> Bool {
        try run("PRAGMA locking_mode = EXCLUSIVE")
        do {
            try run(.beginExclusive)
            try run(.commit)
            return true
        } catch let error as StrongroomError where error.code == .busy {
            return false
        }
    }

    /// Checkpoints the whole WAL and leaves WAL mode, so that the file itself is the whole database; to be called while
    /// the connection has exclusive access.
    ///
    /// - Parameter whenInFile: Called when the file is complete and the WAL still exists.
    func mergeLog(whenInFile: () throws -> Void) throws {
        try run("PRAGMA wal_checkpoint(FULL)")
        try whenInFile()
        guard try setJournalMode("DELETE") else {
            throw StrongroomError(
                .locked,
                """
                The WAL could not be checkpointed: another connection has the file open. Close it there, then try \
                again.
                """,
                database: database
            )
        }
    }
}
