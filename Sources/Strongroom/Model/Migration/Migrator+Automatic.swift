extension Migrator {
    /// A migrator without steps: it compares the declared tables with those of the file when a store is opened, and
    /// adds what is missing.
    ///
    /// ```swift
    /// var migrator: Migrator { .automatic(tables: [Contact.schema, Phone.schema]) }
    /// ```
    ///
    /// - Tables, columns and indexes that are missing are made; an index that is declared in another form is made anew.
    /// - A column with another type, default or constraint is changed: its values are converted as
    ///   ``Writing/changeColumn(_:in:)`` does it, and where one does not fit, would be another one, or breaks a
    ///   constraint, the file is refused and stays as it was. So it is where a column that holds values is declared as
    ///   a generated one, unless columns may be removed.
    /// - A column with `previously:` takes over what the column of that name holds.
    /// - A column that is not declared stays, or is removed if that is asked for. Tables are never removed, and a
    ///   primary key is never changed.
    /// - Names of indexes are the whole file's: one that stands twice among the tables is refused, and one that an
    ///   index of another table has in the file, too.
    ///
    /// All of it is one transaction, and ``MigrationReport/schemaChanges`` says what was done. A file that has been
    /// through versions is refused: its schema is its migrations'. What has to be computed from rows, and going back,
    /// needs a migrator with steps, which an automatic file can be given later: it runs every step then.
    ///
    /// An automatic file has no version that would tell an older program that the file is of a newer one: the older one
    /// brings it to its own declaration. Columns of the newer program stay, but with `removingColumns` the older
    /// program removes them, with what is in them.
    ///
    /// `previously:` knows one former name. In a file of `a` that the program of `b` never opened, a column `c` with
    /// `previously: "b"` is a new one without values. Those of `a` stay in `a`, which is not declared any more; with
    /// `removingColumns` they are lost. A column that may not be NULL and has no default cannot be new where there are
    /// rows, or left over: the file is refused. Rename a column once, or by the steps of a migrator.
    ///
    /// - Parameters:
    ///   - tables: The tables.
    ///   - removingColumns: Whether a column that is not declared is removed, with what is in it; only where no older
    ///     program opens the file, and every file has been through each `previously:`.
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
                """
                The migrator is automatic and has no versions; call `migrate()` without one. The file was not touched.
                """,
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
