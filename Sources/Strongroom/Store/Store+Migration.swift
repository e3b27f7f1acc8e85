import Logging

/// Migrating the file of an open store.
extension Store {
    /// The steps that a migration would run on the file in its current state; nothing is written.
    ///
    /// ```swift
    /// let plan = try await store.migrationPlan(to: "2")
    /// print(plan.from ?? "", plan.undoes)
    /// ```
    ///
    /// - Parameter version: The target version; nil for the newest.
    /// - Returns: The steps that would run.
    /// - Throws: ``StrongroomError`` with `notDeclared` if there is no migrator, `invalidArgument` if there is no such
    ///   version, `invalidMigrator` if `down`s are missing: the message names all of them; `newerSchema`, `closed`;
    ///   what the configuration throws.
    public func migrationPlan(to version: String? = nil) async throws -> MigrationPlan {
        let migrator = try migrator()
        return try await pool.perform(.ungroupedWrite) { connection in
            try migrator.publicPlan(migrator.plan(for: connection, to: version))
        }
    }

    /// Migrates the file: upwards, with ``MigrationPolicy/manual`` or after a downgrade, or downwards, with the
    /// migrations' `down`s.
    ///
    /// Each step is one transaction; reads continue meanwhile, writes wait, and another process may write between two
    /// steps. The file is always at one of the listed versions; an error's report names it. A program whose newest
    /// version is higher than the target migrates the file again when it opens it.
    ///
    /// ```swift
    /// try await store.migrate(to: "2")
    /// ```
    ///
    /// - Parameters:
    ///   - version: The target version; nil for the newest.
    ///   - progress: Called with the progress and the current step, on the thread that migrates; must return quickly.
    /// - Returns: What was done.
    /// - Throws: `CancellationError` if the task is cancelled; the step that was running is undone. ``StrongroomError``
    ///   with `notDeclared` if there is no migrator, `invalidArgument` if there is no such version, `invalidMigrator`
    ///   if `down`s are missing: no step has run then, and the message names all of them; `migrationFailed`,
    ///   `newerSchema`, `locked`, `closed`, `readOnly`; what the configuration throws.
    @discardableResult
    public func migrate(
        to version: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> MigrationReport {
        try await pool.observer.observing(.migrate, label: Self.migrationLabel) { watch in
            try await migrate(to: version, watch, progress)
        }
    }

    private static let migrationLabel = "migration"

    private func migrate(
        to version: String?, _ watch: OperationWatch?, _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> MigrationReport {
        let context = try file.contextToWrite()
        let migrator = try migrator()
        let lock = try await context.lock()
        let limits = OperationLimits(label: Self.migrationLabel, isObserved: false)
        let report = try await pool.perform(.ungroupedWrite, limits) { [file, pool] connection in
            watch?.grant()
            try pool.right.require()
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
            .notDeclared, "The configuration has no migrator for the database; add one.", database: name.fileName
        )
    }
}
