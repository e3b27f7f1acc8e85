import Logging

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
            if isReading, plan.hasWork, !plan.addsColumns {
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
            let key: DerivedKey?? = plan.onlyCreatesTables ? nil : .some(file.pageKey)
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
        guard changes.isEmpty || changes == [.createTable(Source.schema.name)] else {
            throw StrongroomError(
                .tableDiffers,
                """
                Table "\(Source.schema.name)" is not as it is declared, and that cannot be changed in the middle of a \
                transaction: \(changes.map(\.words).joined(separator: "; ")). Call \
                `try await \(Source.self).prepare()` before.
                """,
                database: database)
        }
        try connection.inSavepoint { try automatic.carryOut(changes, in: MigrationTransaction(connection)) }
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
            guard changes == [.createTable(schema.name)] else { return }
            try connection.inSavepoint { try automatic.carryOut(changes, in: MigrationTransaction(connection)) }
        }
    }
}
