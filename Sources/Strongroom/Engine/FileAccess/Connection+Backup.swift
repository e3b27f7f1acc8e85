import CSQLCipher

extension Connection {
    /// Copies every page of another connection's file into this connection's, which is empty; both have the same page
    /// size.
    ///
    /// An unreadable page at the end of a long value is copied as zeros without an error: callers that must detect this
    /// check the pages first. See SQLite's documentation, "Online Backup API" (sqlite.org/backup.html).
    ///
    /// - Parameters:
    ///   - source: The connection whose file is copied.
    ///   - pagesAtOnce: The number of pages that are copied between two calls of `progress`.
    ///   - progress: Called with the number of pages copied and the total; an error that it throws ends the copy.
    func copyPages(from source: Connection, pagesAtOnce: Int, progress: (Int, Int) throws -> Void) throws {
        try source.acceptingZeroPages { try copyAllPages(from: source, pagesAtOnce, progress) }
    }

    private func copyAllPages(
        from source: Connection, _ pagesAtOnce: Int, _ progress: (Int, Int) throws -> Void
    ) throws {
        guard let backup = sqlite3_backup_init(pointer, "main", source.pointer, "main") else {
            throw failure("The file could not be copied")
        }
        var isFinished = false
        defer { if !isFinished { sqlite3_backup_finish(backup) } }
        while true {
            let result = sqlite3_backup_step(backup, Int32(clamping: pagesAtOnce))
            let total = Int(sqlite3_backup_pagecount(backup))
            try progress(total - Int(sqlite3_backup_remaining(backup)), total)
            if result == SQLITE_DONE { break }
            // BUSY would mean that another connection writes, which the caller prevents.
            guard result == SQLITE_OK else { break }
        }
        isFinished = true
        guard sqlite3_backup_finish(backup) == SQLITE_OK else { throw failure("The file could not be copied") }
    }
}
