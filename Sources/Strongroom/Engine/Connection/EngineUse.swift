import CSQLCipher

/// What a connection has asked of the engine.
struct EngineUse {
    /// How often a lock was asked for again.
    var busyRetries = 0
    /// The user's statements.
    var statements = 0
    /// Those of them that had to be prepared.
    var statementsPrepared = 0
    /// Pages that were found in memory.
    var pageCacheHits = 0
    /// Pages that were read and deciphered.
    var pageCacheMisses = 0
}

extension Connection {
    /// What has been asked of the engine since this was last called; by whoever has the connection.
    ///
    /// See "Status Parameters for database connections" (sqlite.org/c3ref/c_dbstatus_options.html).
    func takeUse() -> EngineUse {
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
