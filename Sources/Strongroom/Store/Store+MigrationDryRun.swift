extension Store {
    /// Migrates a copy of the file, and tells what the migration did to it and how long it took; the file itself is
    /// only read.
    ///
    /// The copy lies beside the file, is encrypted with the same key, and is removed at the end; one that a killed
    /// process left is removed by the next dry run. Have as much space on the disk as the file is large, and what the
    /// migration writes. Others may read and write meanwhile.
    ///
    /// ```swift
    /// let dryRun = try await store.dryRun()
    /// for step in dryRun.report.steps { print(step.version, step.duration, step.rows) }
    /// print(dryRun.schemaChanges)
    /// ```
    ///
    /// - Parameters:
    ///   - version: The version that the copy is to have; nil for the newest.
    ///   - progress: Told how far the migration of the copy has come; must return soon.
    /// - Returns: What was done to the copy.
    /// - Throws: `CancellationError` when the task is cancelled; ``StrongroomError`` as ``migrate(to:progress:)``;
    ///   `locked` while another dry run of the file is running, `diskFull`, `damaged`.
    public func dryRun(
        to version: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> MigrationDryRun {
        // The copy lies beside the file.
        let context = try file.contextToWrite()
        guard let migrator = context.migrator else { throw noMigrator }
        // Of another instance of this process, too: a lock belongs to what was opened, not to the process.
        guard let lock = try await FileLock.acquire(FileSystem.companion(of: path, "trial.lock"), of: path) else {
            throw StrongroomError(
                .locked, "Another dry run of \"\(path)\" runs. Wait for it to finish, then try again.",
                database: name.fileName)
        }
        let start = ContinuousClock.now
        let limits = OperationLimits(label: "dry run of a migration")
        let (copy, key) = try await pool.perform(.read, limits) { [file, path] connection in
            let key = file.pageKey
            let copy = PageCopy(file: context.file, key: key, path: FileSystem.companion(of: path, "trial"))
            try copy.make(from: connection, for: "Trying a migration of") { try connection.checkTransaction() }
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
            let run = MigrationRun(progress: [progress], stop: stop, isDryRun: true)
            return try migrator.tried(to: version, on: connection, copying: copying, run)
        }
        lock.release()
        return dryRun
    }
}
