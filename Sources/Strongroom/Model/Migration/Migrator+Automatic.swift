extension Migrator {
    /// A migrator without steps, which compares the declared tables with those of the file when a store is opened, and
    /// adds whatever is missing.
    ///
    /// ```swift
    /// var migrator: Migrator { .automatic(tables: [Contact.schema, Phone.schema]) }
    /// ```
    ///
    /// - Missing tables, columns and indexes are created; an index that is declared in another form is recreated.
    /// - A column with another type, default or constraint is changed. Its values are converted as by
    ///   ``Writing/changeColumn(_:in:)``; if one does not fit, would change, or violates a constraint, opening fails
    ///   and the file is not changed. The same applies to a column with values that is declared as a generated one,
    ///   unless columns may be removed.
    /// - A column with `previously:` takes over the values of the column with that name.
    /// - A column that is not declared is kept, or removed if requested. Tables are never removed, and a primary key is
    ///   never changed.
    /// - Index names are unique within a file: an error is thrown if two declared tables use the same name, or if an
    ///   index of another table in the file has it.
    ///
    /// All changes are one transaction, and ``MigrationReport/schemaChanges`` lists them. A file with a version history
    /// is rejected: its schema is defined by its migrations. Values that are computed from rows, and downgrades, need a
    /// migrator with steps. An automatic file can be migrated with one later, which then runs every step.
    ///
    /// An automatic file has no version by which an older program could detect that the file is newer: the older
    /// program migrates it to its own declaration. Columns of the newer program are kept, but with `removingColumns`
    /// the older program removes them with their values.
    ///
    /// `previously:` contains only one former name. In a file with `a` that the program with `b` never opened, a column
    /// `c` with `previously: "b"` is new and has no values. Those of `a` remain in `a`, which is no longer declared;
    /// with `removingColumns` they are lost. A NOT NULL column without a default cannot be added to a table with rows,
    /// nor be left undeclared: opening fails. Rename a column once, or with the steps of a migrator.
    ///
    /// - Parameters:
    ///   - tables: The tables.
    ///   - removingColumns: Whether columns that are not declared are removed with their values; only if no older
    ///     program opens the file, and every file has been migrated with each `previously:`.
    /// - Returns: The migrator.
    public static func automatic(tables: [TableSchema], removingColumns: Bool = false) -> Migrator {
        Migrator(automatic: AutomaticSchema(tables: tables, removesColumns: removingColumns))
    }

    /// The version of a file with an automatic migrator, in reports.
    package static let automaticVersion = "automatic"

    /// Determines the changes of an automatic migrator.
    func plan(for connection: Connection, _ schema: AutomaticSchema, to version: String?) throws -> Plan {
        try schema.check()
        guard version == nil else {
            throw StrongroomError(
                .invalidArgument,
                """
                The migrator is automatic and has no versions; call `migrate()` without one. The file was not changed.
                """,
                database: connection.database)
        }
        return try connection.inSnapshot {
            let isEmpty = try connection.ownValue(RecordedName.anyObject) == nil
            let changes = try schema.changesOfUnversioned(connection)
            return Plan(from: isEmpty ? nil : Self.automaticVersion, work: .adapt(changes))
        }
    }

    /// Carries out the changes in one transaction.
    func adapt(
        _ changes: [AutomaticSchema.Change], _ plan: Plan, on connection: Connection, _ run: MigrationRun
    ) throws -> MigrationReport {
        var report = MigrationReport(from: plan.from, to: Self.automaticVersion, applied: [])
        guard let automatic, !changes.isEmpty else { return report }
        let step = StepRun(version: Self.automaticVersion, connection: connection, run: run)
        let watch = changeWatch
        let work = try step.carryOut { db in
            guard let watch else { return try automatic.carryOut(changes, in: db) }
            try db.watchingStatements { sql, _ in
                try watch(sql)
            } _: {
                try automatic.carryOut(changes, in: db)
                try watch(nil)
            }
        }
        report.steps = [work]
        report.schemaChanges = changes.map(\.words)
        return report
    }
}
