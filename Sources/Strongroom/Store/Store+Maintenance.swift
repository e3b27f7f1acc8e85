/// What a store does by itself when it is due, or need not do at all; here for those who know a better moment.
extension Store {
    /// Brings the write-ahead log into the file and empties it. By itself the store does so with a log that has become
    /// long.
    ///
    /// Waits for reads that began before the last write, at most as long as the busy timeout of the configuration's
    /// settings; meanwhile nobody writes.
    ///
    /// - Returns: How far it came; not to the end when somebody reads for longer.
    /// - Throws: ``StrongroomError`` with `closed`, `readOnly`, `diskFull`, or the engine's failure;
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func checkpoint() async throws -> CheckpointReport {
        try pool.requireWriting()
        return try await pool.perform(.writeAlone) { try $0.checkpoint() }
    }

    /// Writes the file anew without the space that deleted rows have left, which is otherwise used for new rows and
    /// never given back.
    ///
    /// Takes as long as writing the whole file, and the writer for that time. The new content is made in memory, since
    /// nothing may lie unencrypted on the disk, and then goes through the log: have as much memory, and as much space
    /// on the disk, as the file is large. A table without an integer primary key may get other row ids. See SQLite's
    /// documentation, "VACUUM" (sqlite.org/lang_vacuum.html).
    ///
    /// - Throws: ``StrongroomError`` with `closed`, `readOnly`, `diskFull`, `damaged`, or the engine's failure, and the
    ///   file is as it was; `CancellationError` when the task is cancelled.
    public func vacuum() async throws {
        try pool.requireWriting()
        try await pool.perform(.writeAlone) { connection in
            try connection.vacuum()
            _ = connection.checkpointAfterCommit()
        }
    }

    /// Lets the engine count how the values of indexed columns are distributed, so that it finds the faster way through
    /// a query; to be called now and then, such as once a day, or before closing.
    ///
    /// An engine that can tell which tables have changed much since looks at those alone. See SQLite's documentation,
    /// "PRAGMA optimize" (sqlite.org/pragma.html#pragma_optimize).
    ///
    /// - Throws: ``StrongroomError`` with `closed`, `readOnly`, or the engine's failure; `CancellationError` when the
    ///   task is cancelled.
    public func optimize() async throws {
        try pool.requireWriting()
        try await pool.perform(.writeAlone) { connection in
            let canChoose = try EngineFeatures.current().sqliteVersionNumber >= Self.firstThatOptimizes
            try connection.run(canChoose ? "PRAGMA optimize" : "ANALYZE")
        }
    }

    /// Gives back memory that the store can do without: closes the readers that nobody uses, and empties the writer's
    /// page cache. To be called when the system asks for memory; reading and writing go on, slower at first.
    ///
    /// - Throws: ``StrongroomError`` with `closed`; `CancellationError` when the task is cancelled.
    public func releaseMemory() async throws {
        pool.closeIdleReaders()
        try await pool.perform(.writeAlone) { $0.releaseMemory() }
    }

    private static let firstThatOptimizes = 3_018_000
}
