/// Maintenance that a store does automatically or does not need, for callers that know a better moment.
extension Store {
    /// Checkpoints the WAL and truncates it. A store does this automatically when the WAL has become long.
    ///
    /// Waits for reads that began before the last write, at most for the busy timeout of the settings; writes wait
    /// meanwhile.
    ///
    /// - Returns: How far the checkpoint came; it is incomplete if a read takes longer.
    /// - Throws: ``StrongroomError`` with `closed`, `readOnly`, `diskFull`, or the engine's failure;
    ///   `CancellationError` if the task is cancelled.
    @discardableResult
    public func checkpoint() async throws -> CheckpointReport {
        try pool.requireWriting()
        return try await pool.perform(.ungroupedWrite) { [companions = pool.companions] connection in
            companions.checkpointing()
            defer { companions.checkpointing() }
            return try connection.checkpoint()
        }
    }

    /// Rewrites the file without the free pages that deleted rows have left, which are otherwise reused for new rows
    /// but not returned to the file system.
    ///
    /// Takes as long as writing the whole file, and occupies the writer for that time. The new content is built in
    /// memory, since nothing may be written to the disk unencrypted, and then goes through the WAL: it needs as much
    /// memory, and as much free disk space, as the size of the file. A table without an integer primary key may get
    /// other row ids. See SQLite's documentation, "VACUUM" (sqlite.org/lang_vacuum.html).
    ///
    /// - Throws: ``StrongroomError`` with `closed`, `readOnly`, `diskFull`, `damaged`, or the engine's failure; the
    ///   file is unchanged then; `CancellationError` if the task is cancelled.
    public func vacuum() async throws {
        try pool.requireWriting()
        try await pool.perform(.ungroupedWrite) { connection in
            try connection.vacuum()
            _ = connection.checkpointAfterCommit()
        }
    }

    /// Updates the statistics on the values of indexed columns from which the query planner chooses indexes; call it
    /// periodically, for example once a day or before closing.
    ///
    /// An engine that tracks changes analyzes only the tables that have changed much. See SQLite's documentation,
    /// "PRAGMA optimize" (sqlite.org/pragma.html#pragma_optimize).
    ///
    /// - Throws: ``StrongroomError`` with `closed`, `readOnly`, or the engine's failure; `CancellationError` when the
    ///   task is cancelled.
    public func optimize() async throws {
        try pool.requireWriting()
        try await pool.perform(.ungroupedWrite) { connection in
            let canChoose = try EngineFeatures.current().sqliteVersionNumber >= Self.firstThatOptimizes
            try connection.run(canChoose ? "PRAGMA optimize" : "ANALYZE")
        }
    }

    /// Releases memory: closes unused readers and empties the writer's page cache. Call it when the system is short of
    /// memory; reads and writes continue, more slowly at first.
    ///
    /// - Throws: ``StrongroomError`` with `closed`; `CancellationError` when the task is cancelled.
    public func releaseMemory() async throws {
        try await pool.releaseMemory(isObserved: true)
    }

    private static let firstThatOptimizes = 3_018_000
}
