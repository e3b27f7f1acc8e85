extension Migrator {
    /// A migrator without steps: it compares the declared tables with those of the file when a store is opened, and adds what is missing.
    ///
    /// ```swift
    /// var migrator: Migrator { .automatic(tables: [Contact.schema, Phone.schema]) }
    /// ```
    ///
    /// - Tables, columns and indexes that are missing are made; an index that is declared in another form is made anew.
    /// - A column with another type, default or constraint is changed: its values are converted, and where one does not fit, or breaks the
    ///   constraint, the file is refused and stays as it was.
    /// - A column with `previously:` takes over what the column of that name holds.
    /// - A column that is not declared stays, or is removed if that is asked for. Tables are never removed, and a primary key is never changed.
    ///
    /// All of it is one transaction, and ``MigrationReport/schemaChanges`` says what was done. A file that has been through versions is refused:
    /// its schema is its migrations'. What has to be computed from rows, and going back, needs a migrator with steps, which an automatic file can
    /// be given later: it runs every step then.
    ///
    /// - Parameters:
    ///   - tables: The tables.
    ///   - removingColumns: Whether a column that is not declared is removed, with what is in it.
    /// - Returns: The migrator.
    public static func automatic(tables: [TableSchema], removingColumns: Bool = false) -> Migrator {
        Migrator(automatic: AutomaticSchema(tables: tables, removesColumns: removingColumns))
    }

    /// What reports call the version of a file that an automatic migrator keeps.
    static let automaticVersion = "automatic"

    /// Finds what an automatic migrator has to do.
    func plan(for connection: Connection, _ schema: AutomaticSchema, to version: String?) throws -> Plan {
        try schema.check()
        guard version == nil else {
            throw StrongroomError(
                .invalidMigrator,
                "The migrator is automatic and has no versions; call `migrate()` without one. The file was not touched.",
                database: connection.database)
        }
        return try connection.inSnapshot {
            let isEmpty = try connection.ownValue("SELECT 1 FROM sqlite_master LIMIT 1") == nil
            let changes = try schema.changesOfUnversioned(connection)
            return Plan(from: isEmpty ? nil : Self.automaticVersion, work: .adapt(changes))
        }
    }

    /// Makes the changes in one transaction.
    func adapt(
        _ changes: [AutomaticSchema.Change], _ plan: Plan, on connection: Connection, _ run: MigrationRun
    ) throws -> MigrationReport {
        var report = MigrationReport(from: plan.from, to: Self.automaticVersion, applied: [])
        guard let automatic, !changes.isEmpty else { return report }
        let step = StepRun(version: Self.automaticVersion, connection: connection, run: run)
        report.steps = [try step.carryOut { db in try automatic.carryOut(changes, in: db) }]
        report.schemaChanges = changes.map(\.words)
        return report
    }
}
