import Logging

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
            try migrator.plan(for: connection, to: version)
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
        let limits = OperationLimits(label: "migration", isObserved: false)
        return try await pool.observing(.migrate, label: limits.label) { watch in
            let context = try file.contextToWrite()
            let migrator = try migrator()
            let lock = try await context.lock()
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
    }

    private func migrator() throws -> Migrator {
        if let migrator = try file.context().migrator { return migrator }
        throw StrongroomError(
            .notDeclared, "The configuration has no migrator for the database; add one.", database: name.fileName)
    }
}

extension Store {
    /// Migrates a copy of the file, and reports what the migration changed and how long it took; the file itself is
    /// only read.
    ///
    /// The copy is created next to the file, encrypted with the same key, and removed at the end; a copy left by a
    /// killed process is removed by the next opening or dry run. The disk needs free space for a copy of the file and
    /// for what the migration writes. Reads and writes continue meanwhile.
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
        let migrator = try migrator()
        let lockPath = FileSystem.hiddenFile(of: path, "trial.lock")
        // Excludes other stores of this process, too: a lock belongs to the open file description, not to the process.
        guard let lock = try await FileLock.acquire(lockPath, of: path) else {
            throw StrongroomError(
                .locked, "Another dry run of \"\(path)\" is in progress. Wait for it to finish, then try again.",
                database: name.fileName)
        }
        return try await lock.removed(lockPath) { try await dryRun(migrator, to: version, context, progress) }
    }

    private func dryRun(
        _ migrator: Migrator, to version: String?, _ context: StoreContext,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> MigrationDryRun {
        let start = ContinuousClock.now
        let limits = OperationLimits(label: "dry run of a migration")
        let (copy, key) = try await pool.perform(.read, limits) { [file, path] connection in
            let key = file.pageKey
            let copy = CheckedCopy(
                file: context.file, from: key, to: key, path: FileSystem.hiddenFile(of: path, "trial"),
                monitor: WorkMonitor({ _ in }, connection.cancellation), purpose: "Trying a migration of")
            _ = try copy.make(from: connection) { _ = try FileAttributes.copy(of: path, to: $0) }
            return (copy, key)
        }
        let copying = ContinuousClock.now - start
        let stop = CancellationFlag()
        return try await stop.running {
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
    }
}

extension Store {
    /// Updates the table of a type to its declaration, once per type, if the configuration has no migrator.
    @usableFromInline
    func prepare<Source: Table>(_ table: Source.Type, isReading: Bool = false) async throws {
        guard !pool.automaticTables.isKnown(table, isReading: isReading) else { return }
        try await prepare([table], isReading: isReading)
    }

    /// Updates the tables of some types to their declarations, atomically, if the configuration has no migrator.
    ///
    /// - Parameters:
    ///   - tables: The types.
    ///   - isReading: Whether the tables are only read: then a file whose tables have every column stays as it is, such
    ///     as that of another program, which declares types, defaults and indexes in its own way.
    /// - Throws: ``StrongroomError`` with `schemaChange`, `migrationFailed`, or `otherMigrations` if the file's schema
    ///   is maintained by another program's migrator.
    package func prepare(_ tables: [any Table.Type], isReading: Bool = false) async throws {
        guard !tables.allSatisfy({ pool.automaticTables.isKnown($0, isReading: isReading) }) else { return }
        guard storage != .memory else {
            // A database in memory never has an older schema.
            return try await pool.perform(.write) { [pool] connection in
                try pool.prepare(tables, on: connection)
            }
        }
        try await pool.automaticTables.mutex.run {
            let tables = tables.filter { !pool.automaticTables.isKnown($0, isReading: isReading) }
            guard !tables.isEmpty else { return }
            let migrator = Migrator.automatic(tables: tables.map { $0.schema })
            let plan = try await pool.perform(.read) { connection in try migrator.plan(for: connection) }
            if isReading, plan.hasWork, !plan.changes.contains(where: \.addsColumns) {
                for table in tables { pool.automaticTables.recordReadable(table) }
                return
            }
            if plan.hasWork { try await adapt(migrator) }
            for table in tables { pool.automaticTables.record(table) }
        }
    }

    /// Creates the tables of some types, in a transaction of this store, if they are missing and no migrator creates
    /// them.
    ///
    /// - Throws: ``StrongroomError`` with `tableDiffers` if a change is needed that cannot be made inside a
    ///   transaction.
    package func prepare(_ tables: [any Table.Type], in db: borrowing WriteTransaction) throws {
        try pool.prepare(tables, on: db._handle.connection)
    }

    private func adapt(_ migrator: Migrator) async throws {
        let context = try file.context()
        // Another process may be making the same change.
        let lock = try await context.lock()
        try await pool.perform(.ungroupedWrite, OperationLimits(label: "tables")) { [file, context, pool] connection in
            try pool.right.require()
            let plan = try migrator.plan(for: connection)
            // Creating tables changes no existing data, and a further backup could remove the one that matters.
            let key: DerivedKey?? = plan.changes.allSatisfy(\.createsTable) ? nil : .some(file.pageKey)
            let report = try context.carryOut(plan, of: migrator, on: connection, key: key, MigrationRun())
            guard !report.schemaChanges.isEmpty else { return }
            context.logger?.info(
                "tables changed", metadata: ["changes": .array(report.schemaChanges.map { .string($0) })])
        }
        lock.release()
    }
}

extension ConnectionPool {
    /// Creates the table of a type, in the current write transaction of a connection, if it is missing and no migrator
    /// creates it.
    ///
    /// - Throws: ``StrongroomError`` with `tableDiffers` if a change is needed that cannot be made inside a
    ///   transaction.
    private func prepare<Source: Table>(_ table: Source.Type, on connection: Connection) throws {
        guard !automaticTables.isKnown(table), !connection.hasPrepared(table) else { return }
        let automatic = AutomaticSchema(tables: [Source.schema], removesColumns: false)
        let changes = try automatic.changesOfUnversioned(connection)
        let hasSchemaChanged = connection.transaction.tables.changesSchema
        if changes.isEmpty, !hasSchemaChanged { return automaticTables.record(table) }
        guard changes.allSatisfy(\.createsTable) else {
            throw StrongroomError(
                .tableDiffers,
                """
                Table "\(Source.schema.name)" is not as it is declared, and that cannot be changed in the middle of a \
                transaction: \(changes.map(\.description).joined(separator: "; ")). Call \
                `try await \(Source.self).prepare()` before.
                """,
                database: database)
        }
        try connection.inSavepoint { try AutomaticSchema.carryOut(changes, in: MigrationTransaction(connection)) }
        connection.recordPrepared(table)
    }

    /// Creates the tables of some types, in the current transaction of a connection.
    func prepare(_ tables: [any Table.Type], on connection: Connection) throws {
        for table in tables { try prepare(table, on: connection) }
    }
}

extension Connection {
    /// Whether the current transaction has already found or created a table.
    fileprivate func hasPrepared(_ table: any Table.Type) -> Bool {
        transaction.attachments[PreparedTables.self]?.types.contains(ObjectIdentifier(table)) ?? false
    }

    fileprivate func recordPrepared(_ table: any Table.Type) {
        transaction.attachments.object(PreparedTables()).types.insert(ObjectIdentifier(table))
    }
}

/// The types whose tables a transaction has found or created.
private final class PreparedTables {
    var types: Set<ObjectIdentifier> = []
}

extension Connection {
    /// Whether the engine can read a table.
    fileprivate func isReadable(_ quotedName: String) -> Bool {
        let isReadable = trusting { objection(to: "SELECT 1 FROM \(quotedName)") == nil }
        // What was only tried is not read.
        _ = authorizer.removeTables()
        return isReadable
    }
}

extension AutomaticTables {
    /// Makes a connection create missing tables, if no migrator maintains the schema.
    func attach(to connection: Connection) {
        guard !isKept else { return }
        connection.attachments[MissingTables.self] = MissingTables { [self] schema, connection in
            guard connection.mayWrite, !isPresent(schema.name) else { return }
            let isInFile = connection.isReadable("main.\(schema.quotedName)")
            let hasSchemaChanged = connection.transaction.tables.changesSchema
            guard !isInFile else { return hasSchemaChanged ? () : recordPresent(schema) }
            // A temporary one.
            guard !connection.isReadable(schema.quotedName) else { return }
            let automatic = AutomaticSchema(tables: [schema], removesColumns: false)
            let changes = try automatic.changesOfUnversioned(connection)
            guard !changes.isEmpty, changes.allSatisfy(\.createsTable) else { return }
            try connection.inSavepoint { try AutomaticSchema.carryOut(changes, in: MigrationTransaction(connection)) }
        }
    }
}
