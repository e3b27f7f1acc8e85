import Logging

/// Bringing the file of an open store to another version of its schema.
extension Store {
    /// What a migration would do to the file as it is now; nothing is written.
    ///
    /// ```swift
    /// let plan = try await store.migrationPlan(to: "2")
    /// print(plan.from ?? "", plan.undoes)
    /// ```
    ///
    /// - Parameter version: The version that the file is to have; nil for the newest.
    /// - Returns: The steps that would run.
    /// - Throws: ``StrongroomError`` with `invalidMigrator` when there is no migrator, no such version, or a `down` is
    ///   missing: the message names all that are; `newerSchema`, `closed`; what the configuration throws.
    public func migrationPlan(to version: String? = nil) async throws -> MigrationPlan {
        let migrator = try migrator()
        return try await pool.perform(.writeAlone) { connection in
            try migrator.told(migrator.plan(for: connection, to: version))
        }
    }

    /// Migrates the file: upwards for ``MigrationPolicy/manual`` and after going back, and downwards on purpose, by the
    /// migrations' `down`s.
    ///
    /// Each step is one transaction; others read meanwhile, writes wait, and another process may write between two
    /// steps. Whatever happens, the file is at one of the versions of the list; the report of an error tells which. A
    /// program whose newest version is not the one that was gone back to migrates the file again when it opens it.
    ///
    /// ```swift
    /// try await store.migrate(to: "2")
    /// ```
    ///
    /// - Parameters:
    ///   - version: The version that the file is to have; nil for the newest.
    ///   - progress: Told how far it has come, with the step that runs, on the thread that migrates; must return soon.
    /// - Returns: What was done.
    /// - Throws: `CancellationError` when the task is cancelled, and the step that ran then is undone;
    ///   ``StrongroomError`` with `invalidMigrator` when there is no migrator, no such version, or a `down` is missing:
    ///   nothing has run then, and the message names all that are; `migrationFailed`, `newerSchema`, `locked`,
    ///   `closed`, `readOnly`; what the configuration throws.
    @discardableResult
    public func migrate(
        to version: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> MigrationReport {
        let context = try file.contextToWrite()
        let migrator = try migrator()
        let lock = try await context.lock()
        let report = try await pool.perform(.writeAlone, OperationLimits(label: "migration")) {
            [file, pool] connection in
            try pool.memory.checkMigration(of: connection)
            let plan = try migrator.plan(for: connection, to: version)
            return try context.carryOut(
                plan, of: migrator, on: connection, key: .some(file.pageKey), MigrationRun(progress: [progress]))
        }
        lock.release()
        return report
    }

    private func migrator() throws -> Migrator {
        guard let migrator = try file.context().migrator else { throw noMigrator }
        return migrator
    }

    var noMigrator: StrongroomError {
        StrongroomError(
            .invalidMigrator, "The configuration gives no migrator for the database; give one.", database: name.fileName
        )
    }
}
