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
        use.pageCacheHits = status(SQLITE_DBSTATUS_CACHE_HIT)
        use.pageCacheMisses = status(SQLITE_DBSTATUS_CACHE_MISS)
        return use
    }

    private func status(_ parameter: Int32) -> Int {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(pointer, parameter, &current, &highest, 1)
        return Int(current)
    }
}
