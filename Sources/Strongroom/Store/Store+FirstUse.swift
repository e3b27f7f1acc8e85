import Logging

extension Store {
    /// Brings the table of a type to what the program declares, once for each type, where the configuration has no
    /// migrator.
    @usableFromInline
    func prepare<Source: Table>(_ table: Source.Type) async throws {
        guard !pool.firstUses.isKnown(table) else { return }
        try await prepare([table])
    }

    /// Brings the tables of some types to what the program declares, atomically, where the configuration has no
    /// migrator.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange`, `migrationFailed`, or `invalidMigrator` when another program
    ///   keeps the file with a migrator.
    package func prepare(_ tables: [any Table.Type]) async throws {
        guard !isPrepared(tables) else { return }
        guard storage != .memory else {
            // What is in memory is never of an older program.
            return try await pool.perform(.write) { [pool] connection in
                try pool.prepare(tables, on: connection, isWriting: true)
            }
        }
        try await pool.firstUses.turns.run {
            let tables = tables.filter { !pool.firstUses.isKnown($0) }
            guard !tables.isEmpty else { return }
            let migrator = Migrator.automatic(tables: tables.map { $0.schema })
            let plan = try await pool.perform(.read) { connection in try migrator.plan(for: connection) }
            if plan.hasWork { try await adapt(migrator) }
            for table in tables { pool.firstUses.note(table) }
        }
    }

    /// Whether nothing is to be done to the tables of some types any more.
    package func isPrepared(_ tables: [any Table.Type]) -> Bool { tables.allSatisfy(pool.firstUses.isKnown) }

    /// Makes the tables of some types, in a transaction of this store, where they are missing and no migrator would
    /// make them.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange` when more is to be changed than can be in the middle of a
    ///   transaction.
    package func prepare(_ tables: [any Table.Type], in db: borrowing WriteTransaction) throws {
        try pool.prepare(tables, on: db.handle.connection, isWriting: true)
    }

    private func adapt(_ migrator: Migrator) async throws {
        let context = try file.context()
        // Another process may be about to do the same.
        let lock = try await context.lock()
        try await pool.perform(.writeAlone, OperationLimits(label: "tables")) { [file, context, pool] connection in
            let plan = try migrator.plan(for: connection)
            // Of tables that are only made nothing that is there changes, and a snapshot may push out the one that
            // counts.
            let key: DerivedKey?? = plan.onlyCreatesTables ? nil : .some(file.pageKey)
            if !plan.onlyCreatesTables { try pool.memory.checkMigration(of: connection) }
            let report = try context.carryOut(plan, of: migrator, on: connection, key: key, MigrationRun())
            guard !report.schemaChanges.isEmpty else { return }
            context.logger?.info(
                "tables changed", metadata: ["changes": .array(report.schemaChanges.map { .string($0) })])
        }
        lock.release()
    }
}

extension ConnectionPool {
    /// Makes the table of a type, in the transaction that runs on a connection, where it is missing and no migrator
    /// would make it.
    ///
    /// - Parameter isWriting: Whether the transaction may write.
    /// - Throws: ``StrongroomError`` with `schemaChange` when more is to be changed than can be in the middle of a
    ///   transaction.
    func prepare<Source: Table>(_ table: Source.Type, on connection: Connection, isWriting: Bool) throws {
        guard !firstUses.isKnown(table), !connection.hasPrepared(table) else { return }
        let automatic = AutomaticSchema(tables: [Source.schema], removesColumns: false)
        let changes = try automatic.changesOfUnversioned(connection)
        let hasSchemaChanged = connection.transaction.tables.writes.contains("sqlite_master")
        if changes.isEmpty, !hasSchemaChanged { return firstUses.note(table) }
        guard changes.isEmpty || isWriting && changes == [.createTable(Source.schema.name)] else {
            throw StrongroomError(
                .schemaChange,
                """
                Table "\(Source.schema.name)" is not as it is declared, and that cannot be changed \
                \(isWriting ? "in the middle of a transaction" : "in a read"): \
                \(changes.map(\.words).joined(separator: "; ")). Call `try await \(Source.self).prepare()` before.
                """,
                database: database)
        }
        try connection.inSavepoint { try automatic.carryOut(changes, in: MigrationTransaction(connection)) }
        connection.notePrepared(table)
    }
}

extension ConnectionPool {
    /// Makes the tables of some types, in the transaction that runs on a connection.
    func prepare(_ tables: [any Table.Type], on connection: Connection, isWriting: Bool) throws {
        for table in tables { try prepare(table, on: connection, isWriting: isWriting) }
    }
}

extension Connection {
    /// Whether a table has been found, or made, in what the running transaction has done so far.
    fileprivate func hasPrepared(_ table: any Table.Type) -> Bool {
        transaction.attachments[PreparedTables.self]?.types.contains(ObjectIdentifier(table)) ?? false
    }

    fileprivate func notePrepared(_ table: any Table.Type) {
        transaction.attachments.object(PreparedTables()).types.insert(ObjectIdentifier(table))
    }
}

/// The types whose tables have been found, or made, in a transaction.
private final class PreparedTables {
    var types: Set<ObjectIdentifier> = []
}

extension Connection {
    /// Whether the engine can read a table.
    fileprivate func isReadable(_ quotedName: String) -> Bool {
        let isReadable = objection(to: "SELECT 1 FROM \(quotedName)") == nil
        // What was only tried is not read.
        _ = authorizer.takeTables()
        return isReadable
    }
}

extension AutomaticTables {
    /// Attaches to a connection what creates missing tables, where no migrator keeps the schema.
    func attach(to connection: Connection) {
        guard !isKept else { return }
        connection.attachments[MissingTables.self] = MissingTables { [self] schema, connection in
            guard connection.mayWrite, !isPresent(schema.name) else { return }
            let isThere = connection.isReadable("main.\(schema.quotedName)")
            let hasSchemaChanged = connection.transaction.tables.writes.contains("sqlite_master")
            guard !isThere else { return hasSchemaChanged ? () : notePresent(schema.name) }
            // A temporary one.
            guard !connection.isReadable(schema.quotedName) else { return }
            let automatic = AutomaticSchema(tables: [schema], removesColumns: false)
            let changes = try automatic.changesOfUnversioned(connection)
            guard changes == [.createTable(schema.name)] else { return }
            try connection.inSavepoint { try automatic.carryOut(changes, in: MigrationTransaction(connection)) }
        }
    }
}
