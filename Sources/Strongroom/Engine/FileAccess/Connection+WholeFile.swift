/// Having a file for one connection alone.
extension Connection {
    /// Tries once to keep every other connection out, of this process and of others. Of a file that is written through
    /// a log, one that only waits has to be closed first; of another one that holds no lock this cannot tell.
    ///
    /// The connection must not have been used for anything but reading. It has to be closed to let the file go.
    ///
    /// - Returns: False when another connection has the file open.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    func takeWholeFile() throws -> Bool {
        try run("PRAGMA locking_mode = EXCLUSIVE")
        do {
            try run("BEGIN EXCLUSIVE")
            try run("COMMIT")
            return true
        } catch let error as StrongroomError where error.code == .busy {
            return false
        }
    }

    /// Checkpoints the whole WAL and does without it from now on, so that the file alone is the database; to
    /// be called when the connection has the whole file.
    ///
    /// - Parameter whenInFile: Called when everything is in the file and the log is still there.
    func mergeLog(whenInFile: () throws -> Void) throws {
        try run("PRAGMA wal_checkpoint(FULL)")
        try whenInFile()
        guard try setJournalMode("DELETE") else {
            throw StrongroomError(
                .locked,
                """
                The WAL could not be checkpointed: somebody else has the file open. Close it there, then try \
                again.
                """,
                database: database
            )
        }
    }
}
