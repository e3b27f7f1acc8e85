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

/// Migrates a file's tables to the tables that a program declares.
struct AutomaticSchema: Sendable {
    let tables: [TableSchema]
    let removesColumns: Bool

    /// A change that a file needs.
    enum Change: Equatable {
        case createTable(String)
        case renameColumn(table: String, from: String, to: String)
        case addColumn(table: String, String)
        case changeColumn(table: String, String)
        case convertDecimals(table: String, String)
        case keepKeys(table: String, String)
        case dropColumn(table: String, String)
        case dropIndex(table: String, String)
        case createIndex(table: String, String)
        case pauseHistory(table: String)
        case keepHistory(table: String)
        case pauseFullText(table: String)
        case keepFullText(table: String)

        /// Whether it concerns no column.
        var isOfIndex: Bool {
            switch self {
            case .dropIndex, .createIndex: true
            default: false
            }
        }

        /// Whether it adds the column that undoing by a history does not put back.
        func addsVersion(of history: HistoryTable) -> Bool {
            guard case .addColumn(_, let name) = self else { return false }
            return history.kept.contains { history.isVersion($0) && Identifier.areSame($0.name, name) }
        }

        /// The table that the change affects.
        var table: String {
            switch self {
            case .createTable(let table), .renameColumn(let table, _, _), .addColumn(let table, _),
                .changeColumn(let table, _), .convertDecimals(let table, _), .keepKeys(let table, _),
                .dropColumn(let table, _), .dropIndex(let table, _), .createIndex(let table, _),
                .pauseHistory(let table), .keepHistory(let table), .pauseFullText(let table),
                .keepFullText(let table):
                table
            }
        }

        /// A description for reports.
        var words: String {
            switch self {
            case .createTable(let table): "table \"\(table)\" added"
            case .renameColumn(let table, let from, let to):
                "table \"\(table)\": column \"\(from)\" renamed to \"\(to)\""
            case .addColumn(let table, let column): "table \"\(table)\": column \"\(column)\" added"
            case .changeColumn(let table, let column): "table \"\(table)\": column \"\(column)\" changed"
            case .convertDecimals(let table, let column):
                "table \"\(table)\": decimals of column \"\(column)\" converted to the sortable form"
            case .keepKeys(let table, let column):
                "table \"\(table)\": keys in column \"\(column)\" are never reused from now on"
            case .dropColumn(let table, let column): "table \"\(table)\": column \"\(column)\" removed"
            case .dropIndex(let table, let index): "table \"\(table)\": index \"\(index)\" removed"
            case .createIndex(let table, let index): "table \"\(table)\": index \"\(index)\" added"
            case .pauseHistory(let table): "table \"\(table)\": triggers of its history removed"
            case .keepHistory(let table): "table \"\(table)\": triggers of its history added"
            case .pauseFullText(let table): "table \"\(table)\": full-text indexes removed"
            case .keepFullText(let table): "table \"\(table)\": full-text indexes updated"
            }
        }
    }

    /// Checks the declarations.
    ///
    /// - Throws: ``StrongroomError`` with `invalidMigrator`, `invalidName`, or the error for a schema that the engine
    ///   does not support.
    func check() throws {
        var seen: Set<SQLName> = []
        for table in tables {
            _ = try table.creationSQL()
            guard seen.insert(SQLName(table.name)).inserted else {
                throw StrongroomError(
                    .invalidMigrator, "The table \"\(table.name)\" is listed twice in the migrator; list it once.")
            }
        }
        try checkIndexNames()
        for table in tables { try table.checkFullText() }
        for table in tables {
            guard let history = try HistoryTable(table), seen.contains(SQLName(history.name)) else { continue }
            throw StrongroomError(
                .invalidMigrator,
                """
                The table "\(history.name)" has the name of the history of table "\(table.name)"; give it another name.
                """)
        }
    }

    /// Index names are unique within a file, and distinct from table names.
    private func checkIndexNames() throws {
        var owners = Dictionary(tables.map { (SQLName($0.name), "a table") }) { first, _ in first }
        for table in tables {
            for index in table.indexes {
                let name = index.name(in: table.name)
                guard let other = owners.updateValue("an index of table \"\(table.name)\"", forKey: SQLName(name))
                else { continue }
                throw StrongroomError(
                    .invalidMigrator,
                    "The index \"\(name)\" of table \"\(table.name)\" has the name of \(other); give it another name.")
            }
        }
    }

    /// The changes that a file needs, in order; reads inside a transaction, without a write.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange` for a table that cannot be changed to its declaration.
    func changes(of connection: Connection) throws -> [Change] {
        let entries = try connection.schemaEntries()
        return try tables.flatMap { table in
            let changes = try TableComparison(table, entries, connection, removesColumns).changes()
            let all = try Self.withHistory(changes, of: table, entries, connection)
            return try Self.withFullText(all, of: table, entries, connection)
        }
    }

    /// The changes of a table with those of its history. Its triggers are removed while columns are changed.
    private static func withHistory(
        _ changes: [Change], of table: TableSchema, _ entries: [SchemaEntry], _ connection: Connection
    ) throws -> [Change] {
        // Creating a table creates its history.
        guard changes != [.createTable(table.name)] else { return changes }
        let names = HistoryTable.triggerNames(of: table.name)
        let hasTriggers = entries.contains { $0.kind == .trigger && Identifier.index(of: $0.name, in: names) != nil }
        guard let history = try HistoryTable(table) else {
            return hasTriggers ? [.pauseHistory(table: table.name)] + changes : changes
        }
        if try changes.isEmpty && history.isKept(entries, in: connection) { return [] }
        let isPaused = hasTriggers && !changes.allSatisfy { $0.isOfIndex || $0.addsVersion(of: history) }
        return (isPaused ? [.pauseHistory(table: table.name)] : []) + changes + [.keepHistory(table: table.name)]
    }

    /// The changes of a table with those of its full-text indexes. Those that are to change are removed while columns
    /// are changed: their triggers would keep a column from being removed.
    private static func withFullText(
        _ changes: [Change], of table: TableSchema, _ entries: [SchemaEntry], _ connection: Connection
    ) throws -> [Change] {
        // Creating a table creates its indexes.
        guard changes != [.createTable(table.name)] else { return changes }
        let stored = StoredFullText.all(in: entries, of: table.name)
        guard !stored.isEmpty || !table.fullText.isEmpty else { return changes }
        guard changes.isEmpty else {
            let isKept = stored.allSatisfy { index in table.fullText.contains { $0.isSame(as: index) } }
            return (isKept ? [] : [.pauseFullText(table: table.name)]) + changes + [.keepFullText(table: table.name)]
        }
        let declared = try table.fullText.map { try FullTextTable($0, of: table.name, connection, entries) }
        let isKept =
            stored.count == declared.count
            && declared.allSatisfy { $0.isStored(in: entries) && $0.hasTriggers(in: entries) }
        return isKept ? [] : [.keepFullText(table: table.name)]
    }

    /// The same, for a file that may have a version history.
    ///
    /// - Throws: ``StrongroomError`` with `otherMigrations` if it has one.
    func changesOfUnversioned(_ connection: Connection) throws -> [Change] {
        if let entry = try VersionHistory(connection: connection).entries().last {
            throw versioned(entry.version, connection)
        }
        return try changes(of: connection)
    }

    /// The error for a file that has a version history.
    func versioned(_ version: String, _ connection: Connection) -> StrongroomError {
        StrongroomError(
            .otherMigrations,
            """
            The file is at version "\(version)" of a migrator with steps, and this one is automatic. Continue with the \
            steps; the file was not changed.
            """,
            database: connection.database)
    }

    /// Carries out the changes.
    func carryOut(_ changes: [Change], in db: borrowing MigrationTransaction) throws {
        guard try changes.contains(where: convertsDecimals) else {
            for change in changes { try carryOut(change, in: db) }
            return
        }
        // An existing check may be written for the digits of decimals; a later change replaces it.
        try db._handle.connection.withoutChecks(of: Set(changes.map(\.table)).sorted()) {
            for change in changes { try carryOut(change, in: db) }
        }
    }

    private func convertsDecimals(_ change: Change) throws -> Bool {
        switch change {
        case .convertDecimals: true
        case .changeColumn(let table, let column):
            try definition(column, of: table).holdsDecimals || definition(column, of: table).scale != nil
        default: false
        }
    }

    private func carryOut(_ change: Change, in db: borrowing MigrationTransaction) throws {
        switch change {
        case .createTable(let name):
            try db.createTable(schema(name))
        case .renameColumn(let table, let from, let to):
            try db.renameColumn(from, to: to, in: table)
        case .addColumn(let table, let column):
            try db.addColumn(DeclaredColumn(definition: definition(column, of: table)), to: table)
        case .changeColumn(let table, let column):
            try db.changeColumn(DeclaredColumn(definition: definition(column, of: table)), in: table)
        case .convertDecimals(let table, let column):
            try db.convertDecimals([column], in: table)
        case .keepKeys(let table, let column):
            let definition = try definition(column, of: table)
            try db.savepoint { db in try ColumnChange(db._handle.connection, table).keepKeys(definition) }
        case .dropColumn(let table, let column):
            try db.dropColumn(column, from: table)
        case .dropIndex(_, let index):
            try db.dropIndex(index)
        case .pauseHistory(let table):
            try db.stopHistory(of: table)
        case .keepHistory(let table):
            try db.keepHistory(of: schema(table))
        case .pauseFullText(let table):
            try db.stopFullText(of: table)
        case .keepFullText(let table):
            try db.keepFullText(of: schema(table))
        case .createIndex(let table, let name):
            for index in try schema(table).indexes where Identifier.areSame(index.name(in: table), name) {
                // A column that was added or changed may have created an index with that name, in another form.
                try db.dropIndex(name, ifExists: true)
                try db.createIndex(index, on: table)
            }
        }
    }

    private func schema(_ name: String) throws -> TableSchema {
        guard let table = tables.first(where: { Identifier.areSame($0.name, name) }) else {
            throw StrongroomError(.invalidArgument, "There is no table \"\(name)\" in the migrator.")
        }
        return table
    }

    private func definition(_ column: String, of table: String) throws -> ColumnDefinition {
        guard let found = try schema(table).columns.first(where: { Identifier.areSame($0.name, column) }) else {
            throw StrongroomError(.invalidArgument, "There is no column \"\(column)\" in table \"\(table)\".")
        }
        return found
    }

    private struct DeclaredColumn: SchemaColumn {
        let definition: ColumnDefinition
    }
}

extension [AutomaticSchema.Change] {
    /// Changes of columns in the order in which they are possible: new columns first, then decimals, whose generated
    /// columns are correct once the others are.
    func sorted(computed: [String]) -> Self {
        func rank(_ change: AutomaticSchema.Change) -> Int {
            switch change {
            case .addColumn: 0
            case .convertDecimals(_, let column): Identifier.index(of: column, in: computed) != nil ? 2 : 1
            default: 3
            }
        }
        return (0...3).flatMap { wanted in filter { rank($0) == wanted } }
    }
}
