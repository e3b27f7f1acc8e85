extension Store {
    /// Checks the whole database, as of one moment, while reads and writes continue: the authentication code of every
    /// page, without the engine and on all processors, then everything that the engine itself can check.
    ///
    /// The engine reads a damaged page at the end of a long value as zeros, and reads only the pages that a statement
    /// needs; this reads all pages, including unused ones. While the check runs, the WAL cannot be checkpointed beyond
    /// that moment, so it grows with each commit. The check takes the place of one reader; in a store with one reader
    /// it takes the writer's, and writes wait. Otherwise they wait only while full-text indexes are compared with their
    /// tables, at the end. See SQLite's documentation, "PRAGMA integrity_check" and "PRAGMA foreign_key_check"
    /// (sqlite.org/pragma.html).
    ///
    /// ```swift
    /// let report = try await store.verify { progress in
    ///     print("\(progress.done) of \(progress.total) pages")
    /// }
    /// if !report.isWhole { print(report) }
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
        let check = Check(
            file: file, checksStructure: checkingStructure, declared: tables + pool.automaticTables.schemas,
            progress: progress)
        let keepsReaders = !file.isInMemory && pool.readers.count > 1
        let report = try await keepsReaders ? checkByOwnConnection(check) : checkByWriter(check)
        guard checkingStructure, report.objections.isEmpty else { return report }
        return try await pool.perform(.ungroupedWrite) { writer in
            var report = report
            try check.through(writer, writer.cancellation).addFullText(to: &report)
            return report
        }
    }

    private struct Check: Sendable {
        let file: StoreFile
        let checksStructure: Bool
        let declared: [TableSchema]
        let progress: WorkMonitor.Progress

        func through(_ connection: Connection, _ cancellation: CancellationFlag) throws -> DatabaseCheck {
            DatabaseCheck(
                connection: connection, cipher: try file.pageKey.map { try PageCipher($0, settings: $0.settings) },
                checksStructure: checksStructure, monitor: WorkMonitor(progress, cancellation),
                declared: declared)
        }
    }

    private func checkByOwnConnection(_ check: Check) async throws -> VerificationReport {
        do {
            // Holding a reader's slot prevents a rotation or close meanwhile.
            return try await pool.perform(.read) { [file] reader in
                let connection = try file.connect(as: .reader)
                defer { connection.close() }
                connection.stop(when: { reader.cancellation.isSet })
                return try check.through(connection, reader.cancellation).run()
            }
        } catch let error as StrongroomError where error.isDamage || error.code == .wrongKey {
            // A new connection cannot read the schema; the writer has it in its memory.
            return try await checkByWriter(check)
        }
    }

    private func checkByWriter(_ check: Check) async throws -> VerificationReport {
        try await pool.perform(.ungroupedWrite) { writer in try check.through(writer, writer.cancellation).run() }
    }
}
