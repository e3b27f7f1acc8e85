import Logging

extension Store {
    /// Brings the table of a type to what the program declares, once for each type, where the configuration has no
    /// migrator.
    func prepare<Source: Table>(_ table: Source.Type) async throws {
        try await prepare([table])
    }

    /// Brings the tables of some types to what the program declares, atomically.
    func prepare(_ tables: [any Table.Type]) async throws {
        guard !tables.allSatisfy(pool.firstUses.isKnown) else { return }
        guard storage != .inMemory else {
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

    private func adapt(_ migrator: Migrator) async throws {
        var opening = try file.opening()
        opening.migrator = migrator
        // Another process may be about to do the same.
        let lock = try await opening.takeLock()
        try await pool.perform(.writeAlone, OperationLimits(label: "tables")) { [file, opening, pool] connection in
            let plan = try migrator.plan(for: connection)
            var opening = opening
            if plan.onlyCreatesTables {
                // Nothing of what is there is changed, and a copy of it may push out the one that counts.
                opening.keepsSnapshots = false
            } else {
                try pool.memory.checkMigration(of: connection)
            }
            let report = try opening.carryOut(plan, on: connection, key: .some(file.pageKey), MigrationRun())
            guard let report, !report.schemaChanges.isEmpty else { return }
            opening.logger?.info(
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
