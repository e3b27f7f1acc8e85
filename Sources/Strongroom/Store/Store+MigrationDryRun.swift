extension Store {
    /// Migrates a copy of the file, and reports what the migration changed and how long it took; the file itself is
    /// only read.
    ///
    /// The copy is created next to the file, encrypted with the same key, and removed at the end; a copy left by a
    /// killed process is removed by the next dry run. The disk needs free space for a copy of the file and for what the
    /// migration writes. Reads and writes continue meanwhile.
    ///
    /// ```swift
    /// let dryRun = try await store.dryRun()
    /// for step in dryRun.report.steps { print(step.version, step.duration, step.rows) }
    /// print(dryRun.schemaChanges)
    /// ```
    ///
    /// - Parameters:
    ///   - version: The target version of the copy; nil for the newest.
    ///   - progress: Called with the progress of the copy's migration; must return quickly.
    /// - Returns: What was done to the copy.
    /// - Throws: `CancellationError` if the task is cancelled; ``StrongroomError`` as ``migrate(to:progress:)``;
    ///   `locked` while another dry run of the file is running, `diskFull`, `damaged`.
    public func dryRun(
        to version: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> MigrationDryRun {
        // The copy is created next to the file.
        let context = try file.contextToWrite()
        guard let migrator = context.migrator else { throw noMigrator }
        // Excludes other stores of this process, too: a lock belongs to the open file description, not to the process.
        guard let lock = try await FileLock.acquire(FileSystem.companion(of: path, "trial.lock"), of: path) else {
            throw StrongroomError(
                .locked, "Another dry run of \"\(path)\" is in progress. Wait for it to finish, then try again.",
                database: name.fileName)
        }
        let start = ContinuousClock.now
        let limits = OperationLimits(label: "dry run of a migration")
        let (copy, key) = try await pool.perform(.read, limits) { [file, path] connection in
            let key = file.pageKey
            let copy = CheckedCopy(
                file: context.file, from: key, to: key, path: FileSystem.companion(of: path, "trial"),
                monitor: WorkMonitor({ _ in }, connection.cancellation), purpose: "Trying a migration of")
            _ = try copy.make(from: connection) { _ = try FileAttributes.copy(of: path, to: $0) }
            return (copy, key)
        }
        let copying = ContinuousClock.now - start
        let stop = CancellationFlag()
        let dryRun = try await stop.running {
            let connection: Connection
            defer { try? copy.remove() }
            connection = try copy.target.connect(.existing, key: key)
            defer { connection.close() }
            try connection.configure(as: .maker, of: copy.target)
            // As the file, whose migration is measured on it.
            try connection.enableWriteAheadLog()
            let run = MigrationRun(progress: [progress], stop: stop, isDryRun: true)
            return try migrator.dryRun(to: version, on: connection, copying: copying, run)
        }
        lock.release()
        return dryRun
    }
}
