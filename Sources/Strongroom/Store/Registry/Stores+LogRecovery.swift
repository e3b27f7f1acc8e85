extension Stores {
    /// Gives up what lies behind the damage in a database's write-ahead log, so that the database opens again.
    ///
    /// A log is damaged when bytes of it have changed on the disk: then SQLCipher reads it up to there only, and every
    /// transaction that was committed later would be gone without a word. So opening throws `damagedLog`, and nothing
    /// is changed until this is called, or the log and the file come back from a backup. The log is cut off behind its
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
    ///   - fileName: The database's name; its configuration says where it lies.
    ///   - dryRun: Whether nothing is changed, and only told what would be.
    /// - Returns: What was found, and what was done. A log that is not damaged is left as it is.
    /// - Throws: ``StrongroomError`` with `fileMissing`, `sameFile` when the file is open in this process, `locked`
    ///   when another program has it open, `readOnly` when its configuration has it read-only, `permissionDenied`,
    ///   `diskFull`, and what opening throws about names and configurations.
    public func recoverLog(_ fileName: String, dryRun: Bool = false) async throws -> LogRecovery {
        try await withClosedFile(fileName) { context, _ in
            guard try FileStatus.at(context.path) != nil else {
                throw StrongroomError(.fileMissing, "There is no file at \"\(context.path)\"; check the path.")
            }
            return try await BlockingWork.run { try context.file.recoverLog(dryRun: dryRun) }
        }
    }
}
