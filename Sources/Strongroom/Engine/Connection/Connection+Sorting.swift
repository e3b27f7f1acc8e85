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
        try withPageCache(of: min(Self.cacheBesideSorting, file.pageCache), run)
    }

    /// Bytes.
    private static let cacheBesideSorting = 2 << 20
}
