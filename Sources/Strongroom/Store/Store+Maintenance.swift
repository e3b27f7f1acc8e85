import Synchronization

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
        return try await pool.perform(.ungroupedWrite) { [pool] connection in
            pool.letLogGo()
            defer { pool.letLogGo() }
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
            let canChoose = try EngineFeatures.current().sqliteVersionNumber >= 3_018_000
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
}

extension Store {
    /// Checks the whole database, as of one moment, while reads and writes continue: the authentication code of every
    /// page, without the engine and on all processors, then everything that the engine itself can check.
    ///
    /// The engine reads a damaged page at the end of a long value as zeros, and reads only the pages that a statement
    /// needs; this reads all pages, including unused ones. While the check runs, the WAL cannot be checkpointed beyond
    /// that moment, so it grows with each commit. The check occupies one reader; in a store with one reader it
    /// occupies the writer, and writes wait. Otherwise they wait only while full-text indexes are compared with their
    /// tables, at the end. See SQLite's documentation, "PRAGMA integrity_check" and "PRAGMA foreign_key_check"
    /// (sqlite.org/pragma.html).
    ///
    /// ```swift
    /// let report = try await store.verify { progress in
    ///     print("\(progress.done) of \(progress.total) pages")
    /// }
    /// if !report.isIntact { print(report) }
    /// ```
    ///
    /// The engine's integrity check looks up each row in each index, on one processor. In a large database with indexes
    /// in random order it takes many times as long as the check of the pages. Without it, `checkingStructure: false`, a
    /// damaged page is found, but not an index that the engine or another program has written wrongly.
    ///
    /// Indexes and checks that need a function or a collation in Swift which the configuration does not have are left
    /// out, and listed in ``VerificationReport/unchecked``.
    ///
    /// A plaintext file, and a store in memory, have no authentication codes: the engine's checks are made, and only
    /// these.
    ///
    /// - Parameters:
    ///   - checkingStructure: Whether the engine's checks are made, and not only those of the pages.
    ///   - progress: Called repeatedly with `checking` and then `checkingStructure`, in pages, on one of the library's
    ///     threads; must not block.
    /// - Returns: The result. Damage is reported here, not thrown.
    /// - Throws: ``StrongroomError`` with `closed`, `busy` if another process holds the write lock for longer than the
    ///   busy timeout, or an engine failure other than damage; `CancellationError` if the task is cancelled, which
    ///   stops the check soon.
    public func verify(
        checkingStructure: Bool = true, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> VerificationReport {
        let tables = (try? file.context().migrator?.tables) ?? []
        let declared = tables + pool.automaticTables.schemas
        let check: Check = { [file] connection, cancellation in
            DatabaseCheck(
                connection: connection, cipher: try file.pageKey.map { try PageCipher($0) },
                checksStructure: checkingStructure, monitor: WorkMonitor(progress, cancellation), declared: declared)
        }
        let keepsReaders = !file.isInMemory && pool.readers.count > 1
        let report = try await keepsReaders ? checkByOwnConnection(check) : checkByWriter(check)
        guard checkingStructure, report.objections.isEmpty else { return report }
        return try await pool.perform(.ungroupedWrite) { writer in
            var report = report
            try check(writer, writer.cancellation).addFullText(to: &report)
            return report
        }
    }

    private typealias Check = @Sendable (Connection, CancellationFlag) throws -> DatabaseCheck

    private func checkByOwnConnection(_ check: @escaping Check) async throws -> VerificationReport {
        do {
            // Holding a reader's slot prevents a rotation or close meanwhile.
            return try await pool.perform(.read) { [file] reader in
                let connection = try file.connect(as: .reader)
                defer { connection.close() }
                connection.stop(when: { reader.cancellation.isSet })
                return try check(connection, reader.cancellation).run()
            }
        } catch let error as StrongroomError where error.isDamage || error.code == .wrongKey {
            // A new connection cannot read the schema; the writer has it in its memory.
            return try await checkByWriter(check)
        }
    }

    private func checkByWriter(_ check: @escaping Check) async throws -> VerificationReport {
        try await pool.perform(.ungroupedWrite) { writer in try check(writer, writer.cancellation).run() }
    }
}

/// The state of an open store, for the probes of a service.
public struct StoreHealth: Sendable {
    /// Why the store cannot be read; nil if it can.
    public var readFailure: (any Error)?
    /// Why the store refuses writes, such as a replica whose writer is another host now; nil if it accepts them or is
    /// read-only.
    public var writeRefusal: StrongroomError?
    /// How long reading took, with the wait for a reader.
    public var readTime: Duration
    /// The size of the WAL in bytes. It grows while something keeps it from being checkpointed, such as a long read.
    public var logBytes: Int64
    /// How many bytes the process may still write to the disk of the file; nil if that is unknown, and in memory.
    public var freeBytes: Int64?

    /// Whether the store can be read and does not refuse writes.
    public var isReady: Bool { readFailure == nil && writeRefusal == nil }
}

extension Store {
    /// Examines the store: reads and authenticates its first page through a reader, as a request would.
    ///
    /// ```swift
    /// let health = await store.health(within: .seconds(1))
    /// guard health.isReady else { return .serviceUnavailable }
    /// ```
    ///
    /// - Parameter timeout: How long the read may wait and run; `timedOut` is then the reason that it failed.
    /// - Returns: The state. Failures are reported in it, not thrown.
    public func health(within timeout: Duration = .seconds(1)) async -> StoreHealth {
        let start = ContinuousClock.now
        var failure: (any Error)?
        do {
            _ = try await read(label: "health", timeout: timeout) { db in
                try db.value("SELECT count(*) FROM sqlite_master", as: Int.self)
            }
        } catch {
            failure = error
        }
        let isFile = storage == .disk
        return StoreHealth(
            readFailure: failure, writeRefusal: pool.right.refusal,
            readTime: ContinuousClock.now - start,
            logBytes: isFile ? (try? FileStatus.at(SideFiles(of: path).log)?.size) ?? 0 : 0,
            freeBytes: isFile ? try? FreeSpace.bytes(at: FileSystem.directory(of: path)) : nil)
    }
}
