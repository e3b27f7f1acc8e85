import CSQLCipher

/// Frees memory for CREATE INDEX: the engine sorts all entries in memory, because temporary files would contain
/// plaintext.
extension Connection {
    /// Runs a statement that creates an index, with a small page cache.
    func withRoomForSorting(_ run: () throws -> Void) throws {
        // Writes the cached pages to the WAL. Pages in use remain cached, which does no harm. See
        // `sqlite3_db_cacheflush` (sqlite.org/c3ref/db_cacheflush.html).
        sqlite3_db_cacheflush(pointer)
        releaseMemory()
        try self.run("PRAGMA cache_size = -\(min(Self.cacheBesideSorting, file.pageCache) >> 10)")
        // Only the speed of later work depends on it.
        defer { try? self.run("PRAGMA cache_size = -\(file.pageCache >> 10)") }
        try run()
    }

    /// Bytes.
    private static let cacheBesideSorting = 2 << 20
}
