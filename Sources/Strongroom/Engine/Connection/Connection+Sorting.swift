import CSQLCipher

/// Room for the making of an index: the engine sorts all its entries in memory, since nothing readable is to come into
/// a temporary file.
extension Connection {
    /// Runs a statement that makes an index, with a small page cache.
    func withRoomForSorting(_ run: () throws -> Void) throws {
        // What it holds is written into the log; a page that somebody uses stays, which does no harm. See
        // `sqlite3_db_cacheflush` (sqlite.org/c3ref/db_cacheflush.html).
        sqlite3_db_cacheflush(pointer)
        releaseMemory()
        try self.run("PRAGMA cache_size = -\(Self.cacheBesideSorting >> 10)")
        // Only the speed of what comes later depends on it.
        defer { try? self.run("PRAGMA cache_size = -\(Self.cache >> 10)") }
        try run()
    }

    /// Bytes.
    private static let cacheBesideSorting = 2 << 20
}
