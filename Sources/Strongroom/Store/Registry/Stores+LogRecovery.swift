extension Stores {
    /// Truncates a damaged write-ahead log before the damage, so that the database opens again. Later transactions are
    /// lost.
    ///
    /// A WAL is damaged if bytes of it have changed on the disk: SQLCipher then reads it only up to the damage, and
    /// every transaction committed later would be lost silently. Opening therefore throws `damagedLog`, and nothing is
    /// changed until this is called, or the WAL and the file are restored from a backup. The WAL is truncated after its
    /// last transaction before the damage; the damaged one is kept beside it, as `NAME-wal.damaged`.
    ///
    /// ```swift
    /// let found = try await stores.recoverLog("addressbook.sqlite", dryRun: true)
    /// print(found)                // damaged at frame 12: 11 transactions before it, 3 from there on
    /// let recovery = try await stores.recoverLog("addressbook.sqlite")
    /// print(recovery.damagedLog)  // Optional("/srv/data/addressbook.sqlite-wal.damaged")
    /// ```
    ///
    /// The file must not be open, in this process or another.
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its configuration provides the path.
    ///   - dryRun: Whether to report only, without changing anything, as also for a file on a read-only file system.
    /// - Returns: What was found, and what was done. An undamaged WAL is left unchanged.
    /// - Throws: ``StrongroomError`` with `fileMissing`, `alreadyOpen` if the file is open in this process, `locked` if
    ///   another process has it open, `readOnly` if its configuration opens it read-only and something is to
    ///   be changed, `permissionDenied`, `diskFull`, and what opening throws about names and configurations.
    public func recoverLog(_ fileName: String, dryRun: Bool = false) async throws -> LogRecovery {
        try await withClosedFile(fileName, isWriting: !dryRun) { context, _ in
            guard try FileStatus.at(context.path) != nil else {
                throw StrongroomError(.fileMissing, "There is no file at \"\(context.path)\"; check the path.")
            }
            return try await BlockingWork.run { try context.file.recoverLog(dryRun: dryRun) }
        }
    }
}
