import CSQLCipher

/// Counts of what a connection has required of the engine.
struct EngineUse {
    /// The number of attempts to acquire a lock that was busy.
    var busyRetries = 0
    /// How long it has paused before these attempts.
    var busyMilliseconds = 0
    /// The number of the user's statements.
    var statements = 0
    /// How many of them had to be prepared.
    var statementsPrepared = 0
    /// Pages found in the page cache.
    var pageCacheHits = 0
    /// Pages read and decrypted.
    var pageCacheMisses = 0
}

extension Connection {
    /// Returns and resets the counts; only for the holder of the connection's slot.
    ///
    /// See "Status Parameters for database connections" (sqlite.org/c3ref/c_dbstatus_options.html).
    func resetUse() -> EngineUse {
        defer { use = EngineUse() }
        use.pageCacheHits = status(SQLITE_DBSTATUS_CACHE_HIT, resets: true)
        use.pageCacheMisses = status(SQLITE_DBSTATUS_CACHE_MISS, resets: true)
        // Pages that have not been checked stay unchecked.
        file.checkedMisses = file.checkedMisses == use.pageCacheMisses ? 0 : -1
        return use
    }

    /// The number of pages that have been read and decrypted since the counts were reset.
    var pageCacheMisses: Int { status(SQLITE_DBSTATUS_CACHE_MISS, resets: false) }

    private func status(_ parameter: Int32, resets: Bool) -> Int {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(pointer, parameter, &current, &highest, resets ? 1 : 0)
        return Int(current)
    }
}
