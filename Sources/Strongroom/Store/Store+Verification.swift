extension Store {
    /// Checks the whole database: every page's authentication code, without the engine, then what the engine itself can
    /// check.
    ///
    /// The engine reads a damaged page at the end of a long value as zeros, and looks only at pages that somebody asks
    /// for; this looks at all of them, also at those that are in use by nobody. The WAL is checkpointed first;
    /// what readers still need stays in it and is checked there. Others read meanwhile; writes wait until it is done,
    /// which takes as long as reading the whole file twice and deciphering it once. See SQLite's documentation, "PRAGMA
    /// integrity_check" and "PRAGMA foreign_key_check" (sqlite.org/pragma.html).
    ///
    /// ```swift
    /// let report = try await store.verify { progress in
    ///     print("\(progress.done) of \(progress.total) pages")
    /// }
    /// if !report.isWhole { print(report) }
    /// ```
    ///
    /// What a plaintext file holds has no authentication codes: only the engine's checks are made.
    ///
    /// - Parameter progress: Called now and then, with `checking` and then `checkingStructure`, in pages, on a thread
    ///   of the store's own, not on the caller's; it must not wait.
    /// - Returns: What was found. Damage is no error here.
    /// - Throws: ``StrongroomError`` with `closed`, `busy` when another process writes for longer than the busy
    ///   timeout, or the engine's failure that is no damage; `CancellationError` when the task is cancelled, which ends
    ///   the check soon.
    public func verify(
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> VerificationReport {
        try await pool.perform(.writeAlone) { [file] connection in
            let pages = try file.pageKey.map { try PageCipher($0, settings: $0.settings) }
            return try DatabaseCheck(
                connection: connection, cipher: pages, monitor: WorkMonitor(progress, connection.cancellation)
            ).run()
        }
    }
}
