extension Store {
    /// Checks the whole database: the authentication code of every page, without the engine, then everything that the
    /// engine itself can check.
    ///
    /// The engine reads a damaged page at the end of a long value as zeros, and reads only the pages that a statement
    /// needs; this reads all pages, including unused ones. The WAL is checkpointed first; frames that readers still
    /// need stay in it and are checked there. Reads continue meanwhile; writes wait until the check is done, which
    /// takes as long as reading the whole file twice and decrypting it once. See SQLite's documentation, "PRAGMA
    /// integrity_check" and "PRAGMA foreign_key_check" (sqlite.org/pragma.html).
    ///
    /// ```swift
    /// let report = try await store.verify { progress in
    ///     print("\(progress.done) of \(progress.total) pages")
    /// }
    /// if !report.isWhole { print(report) }
    /// ```
    ///
    /// Indexes and checks that need a function or a collation in Swift which the configuration does not have are left
    /// out, and listed in ``VerificationReport/unchecked``.
    ///
    /// A plaintext file has no authentication codes: only the engine's checks are made.
    ///
    /// - Parameter progress: Called repeatedly with `checking` and then `checkingStructure`, in pages, on one of the
    ///   store's threads; must not block.
    /// - Returns: The result. Damage is reported here, not thrown.
    /// - Throws: ``StrongroomError`` with `closed`, `busy` if another process writes for longer than the busy timeout,
    ///   or an engine failure other than damage; `CancellationError` if the task is cancelled, which stops the check
    ///   soon.
    public func verify(
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> VerificationReport {
        try await pool.perform(.ungroupedWrite) { [file] connection in
            let pages = try file.pageKey.map { try PageCipher($0, settings: $0.settings) }
            return try DatabaseCheck(
                connection: connection, cipher: pages, monitor: WorkMonitor(progress, connection.cancellation)
            ).run()
        }
    }
}
