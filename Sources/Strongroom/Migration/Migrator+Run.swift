/// What a migrator did to a file.
public struct MigrationReport: Sendable, Equatable {
    /// The version that the file had; nil for a fresh file or one without a history.
    public let from: String?
    /// The version that the file has now.
    public let to: String
    /// The versions that were applied, in order; empty when the file was at the newest already or is fresh.
    public let applied: [String]
}

extension Migrator {
    /// What is to be done to a file, found without a write.
    enum Plan: Equatable {
        /// The file has no table: it gets today's schema.
        case create
        /// These steps are missing, from a version on.
        case run(from: String?, steps: Range<Int>)
    }

    /// Finds what is to be done.
    ///
    /// - Throws: ``StrongroomError`` with `newerSchema` for a version that the migrator does not know, `invalidMigrator` for
    ///   mistakes in the list, such as a file whose versions stand in another order or with one missing.
    func plan(for connection: Connection) throws -> Plan {
        try check()
        // In a transaction, at whose end damage is told that would be read as other versions.
        let (recorded, isEmpty) = try connection.inSnapshot {
            let versions = try VersionHistory(connection: connection).versions()
            return (versions, try connection.ownValue("SELECT 1 FROM sqlite_master LIMIT 1") == nil)
        }
        guard let last = recorded.last else {
            return isEmpty && tables != nil ? .create : .run(from: nil, steps: migrations.indices)
        }
        guard let place = migrations.firstIndex(where: { $0.version == last }) else {
            throw unknown(last, in: connection.database)
        }
        guard migrations[...place].suffix(recorded.count).map(\.version) == recorded else {
            throw StrongroomError(
                .invalidMigrator,
                """
                The file has been through the versions \(recorded.joined(separator: ", ")), which stand otherwise in the \
                migrator (\(migrations.map(\.version).joined(separator: ", "))). Put new migrations at the end of the list only.
                """,
                database: connection.database
            )
        }
        return .run(from: last, steps: (place + 1)..<migrations.count)
    }

    /// Does what a plan says.
    ///
    /// - Throws: ``StrongroomError`` with `migrationFailed`, naming the version; the file is at the version before it.
    func carryOut(_ plan: Plan, on connection: Connection) throws -> MigrationReport {
        switch plan {
        case .create: try create(on: connection)
        case .run(let from, let steps): try run(steps, from: from, on: connection)
        }
    }

    private func create(on connection: Connection) throws -> MigrationReport {
        guard let newest = newestVersion else { throw unknown("", in: connection.database) }
        try inStep(version: newest, connection) { db in
            for table in tables ?? [] { try db.createTable(table) }
            return true
        }
        return MigrationReport(from: nil, to: newest, applied: [])
    }

    private func run(_ steps: Range<Int>, from: String?, on connection: Connection) throws -> MigrationReport {
        for migration in migrations[steps] {
            try inStep(version: migration.version, connection) { db in
                try migration.up(db)
                return false
            }
            // Nobody waits for a single step, and the next one may write as much again.
            if connection.isCheckpointDue { connection.checkpointIfDue() }
        }
        let applied = migrations[steps].map(\.version)
        return MigrationReport(from: from, to: applied.last ?? from ?? "", applied: applied)
    }

    /// Runs a step and records its version in one transaction.
    private func inStep(
        version: String,
        _ connection: Connection,
        _ body: (borrowing MigrationTransaction) throws -> Bool
    ) throws {
        do {
            // With foreign keys enforced, the rebuild of a table would delete the rows of others that point to it: dropping the old one
            // counts as deleting its rows. They are checked as a whole before the commit.
            try connection.withoutForeignKeys {
                try connection.inTransaction(.immediate) {
                    let start = ContinuousClock.now
                    let created = try body(MigrationTransaction(connection))
                    // The step may have overlooked that the engine rolled everything back; its row would be committed by itself.
                    try connection.checkTransaction()
                    try connection.checkForeignKeys()
                    let history = VersionHistory(connection: connection)
                    try history.create()
                    try history.record(version, duration: ContinuousClock.now - start, created: created)
                }
            }
        } catch let error as StrongroomError {
            throw failure(version, connection, "\(error.code): \(error.message)", error, error)
        } catch {
            throw failure(version, connection, "It threw \(type(of: error)).", nil, error)
        }
    }

    private func failure(
        _ version: String,
        _ connection: Connection,
        _ reason: String,
        _ cause: StrongroomError?,
        _ underlying: any Error
    ) -> StrongroomError {
        let circumstances: [StrongroomError.Code] = [
            .busy, .damaged, .diskFull, .inputOutput, .outOfMemory, .permissionDenied, .tooManyOpenFiles,
        ]
        let advice = cause.map { circumstances.contains($0.code) } ?? false ? "Then" : "Correct the migration, then"
        var failure = StrongroomError(
            .migrationFailed,
            """
            Migration «\(version)» failed and was undone; the file is at the version before it, or not made if it was to be \
            new. \(reason) \(advice) open the store again.
            """,
            database: connection.database,
            sql: cause?.sql,
            resultCode: cause?.resultCode
        )
        failure.constraint = cause?.constraint
        failure.mismatch = cause?.mismatch
        failure.underlying = underlying
        return failure
    }

    private func unknown(_ version: String, in database: String) -> StrongroomError {
        StrongroomError(
            .newerSchema,
            """
            The file has schema version «\(version)», which this program does not know \
            (its newest is «\(newestVersion ?? "")»). Use a newer program; the file was not touched.
            """,
            database: database
        )
    }
}
