extension Migrator {
    /// A migrator without steps, which compares the declared tables with those of the file when a store is opened, and
    /// adds whatever is missing.
    ///
    /// ```swift
    /// var migrator: Migrator { .automatic(tables: [Contact.schema, Phone.schema]) }
    /// ```
    ///
    /// - Missing tables, columns and indexes are created; an index that is declared in another form is recreated.
    /// - A column with another type, default or constraint is changed as by ``Writing/changeColumn(_:in:)``. If a value
    ///   does not fit, would change, or violates a constraint, or would be lost in a generated column, opening fails
    ///   and the file is not changed.
    /// - A column with `previously:` takes over the values of the column with that name.
    /// - A column that is not declared is kept, or removed if requested. Tables are never removed, and a primary key is
    ///   never changed.
    ///
    /// All changes are one transaction, and ``MigrationReport/schemaChanges`` lists them. A file with a version history
    /// is rejected. An older program does not detect that the file is newer: with `removingColumns` it removes the
    /// columns of the newer one with their values. See <doc:Migrations>.
    ///
    /// - Parameters:
    ///   - tables: The tables. Index names are unique within them and the file.
    ///   - removingColumns: Whether columns that are not declared are removed with their values; only if no older
    ///     program opens the file, and every file has been migrated with each `previously:`.
    /// - Returns: The migrator.
    public static func automatic(tables: [TableSchema], removingColumns: Bool = false) -> Migrator {
        Migrator(automatic: AutomaticSchema(tables: tables, removesColumns: removingColumns))
    }

    /// The version of a file with an automatic migrator, in reports.
    package static let automaticVersion = "automatic"

    func plan(for connection: Connection, _ schema: AutomaticSchema, to version: String?) throws -> MigrationPlan {
        try schema.check()
        guard version == nil else {
            throw connection.failure(
                .invalidArgument,
                """
                The migrator is automatic and has no versions; call `migrate()` without one. The file was not changed.
                """)
        }
        return try connection.inSnapshot {
            let isEmpty = try !connection.hasObjects
            let changes = try schema.changesOfUnversioned(connection)
            return MigrationPlan(
                from: isEmpty ? nil : Self.automaticVersion, to: Self.automaticVersion, applies: [], undoes: [],
                changed: [], changes: changes)
        }
    }

    func adapt(
        _ changes: [AutomaticSchema.Change], on connection: Connection, _ run: MigrationRun
    ) throws -> [MigrationReport.Step] {
        guard !changes.isEmpty else { return [] }
        let step = StepRun(version: Self.automaticVersion, connection: connection, run: run)
        let watch = changeWatch
        return [
            try step.carryOut { db in
                guard let watch else { return try AutomaticSchema.carryOut(changes, in: db) }
                try db.watchingStatements { sql, _ in
                    try watch(sql)
                } _: {
                    try AutomaticSchema.carryOut(changes, in: db)
                    try watch(nil)
                }
            }
        ]
    }
}

/// Migrates a file's tables to the tables that a program declares.
struct AutomaticSchema: Sendable {
    let tables: [TableSchema]
    let removesColumns: Bool

    struct Change: Sendable, Equatable {
        enum Kind: Sendable {
            case createTable
            case renameColumn(from: String, to: String)
            case addColumn(ColumnDefinition)
            case changeColumn(ColumnDefinition)
            /// Adds AUTOINCREMENT.
            case keepKeys(ColumnDefinition)
            case dropColumn(String)
            case dropIndex(String)
            case createIndex(TableIndex)
            case pauseHistory, keepHistory, pauseFullText, keepFullText
        }

        let schema: TableSchema
        let kind: Kind

        init(_ schema: TableSchema, _ kind: Kind) { (self.schema, self.kind) = (schema, kind) }

        static func == (left: Change, right: Change) -> Bool { left.description == right.description }

        var createsTable: Bool { if case .createTable = kind { true } else { false } }

        /// Whether a column that is declared, or the table itself, is missing in the file.
        var addsColumns: Bool {
            switch kind {
            case .createTable, .addColumn, .renameColumn: true
            default: false
            }
        }

        var isOfIndex: Bool {
            switch kind {
            case .dropIndex, .createIndex: true
            default: false
            }
        }

        /// Whether it adds the column that undoing by a history does not put back.
        func addsVersion(of history: HistoryTable) -> Bool {
            guard case .addColumn(let column) = kind else { return false }
            return history.kept.contains { history.isVersion($0) && Identifier.areSame($0.name, column.name) }
        }

        var convertsDecimals: Bool {
            guard case .changeColumn(let column) = kind else { return false }
            return column.holdsDecimals || column.scale != nil
        }

        var description: String {
            let change =
                switch kind {
                case .createTable: "added"
                case .renameColumn(let from, let to): "column \"\(from)\" renamed to \"\(to)\""
                case .addColumn(let column): "column \"\(column.name)\" added"
                case .changeColumn(let column): "column \"\(column.name)\" changed"
                case .keepKeys(let column): "keys in column \"\(column.name)\" are never reused from now on"
                case .dropColumn(let column): "column \"\(column)\" removed"
                case .dropIndex(let index): "index \"\(index)\" removed"
                case .createIndex(let index): "index \"\(index.name(in: schema.name))\" added"
                case .pauseHistory: "triggers of its history removed"
                case .keepHistory: "triggers of its history added"
                case .pauseFullText: "full-text indexes removed"
                case .keepFullText: "full-text indexes updated"
                }
            return "table \"\(schema.name)\"\(createsTable ? "" : ":") \(change)"
        }
    }

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
    func changes(of connection: Connection) throws -> [Change] {
        let entries = try connection.schemaEntries()
        return try tables.flatMap { table in
            let comparison = TableComparison(
                schema: table, entries: entries, connection: connection, removesColumns: removesColumns)
            let changes = try comparison.changes()
            // Creating a table creates its history and its full-text indexes.
            guard !changes.contains(where: \.createsTable) else { return changes }
            let all = try Self.withHistory(changes, of: table, entries, connection)
            return try Self.withFullText(all, of: table, entries, connection)
        }
    }

    /// The changes of a table with those of its history. Its triggers are removed while columns are changed.
    private static func withHistory(
        _ changes: [Change], of table: TableSchema, _ entries: [SchemaEntry], _ connection: Connection
    ) throws -> [Change] {
        let names = HistoryTable.triggerNames(of: table.name)
        let hasTriggers = entries.contains { $0.kind == .trigger && Identifier.index(of: $0.name, in: names) != nil }
        let pause = [Change(table, .pauseHistory)]
        guard let history = try HistoryTable(table) else { return hasTriggers ? pause + changes : changes }
        if try changes.isEmpty && history.isKept(entries, in: connection) { return [] }
        let isPaused = hasTriggers && !changes.allSatisfy { $0.isOfIndex || $0.addsVersion(of: history) }
        return (isPaused ? pause : []) + changes + [Change(table, .keepHistory)]
    }

    /// The changes of a table with those of its full-text indexes. Those that are to change are removed while columns
    /// are changed: their triggers would keep a column from being removed.
    private static func withFullText(
        _ changes: [Change], of table: TableSchema, _ entries: [SchemaEntry], _ connection: Connection
    ) throws -> [Change] {
        let stored = StoredFullText.all(in: entries, of: table.name)
        guard !stored.isEmpty || !table.fullText.isEmpty else { return changes }
        let keep = [Change(table, .keepFullText)]
        guard changes.isEmpty else {
            let isKept = stored.allSatisfy { index in table.fullText.contains { $0.isSame(as: index) } }
            return (isKept ? [] : [Change(table, .pauseFullText)]) + changes + keep
        }
        let declared = try table.fullText.map { try FullTextTable($0, of: table.name, connection, entries) }
        let isKept =
            stored.count == declared.count
            && declared.allSatisfy { $0.isStored(in: entries) && $0.hasTriggers(in: entries) }
        return isKept ? [] : keep
    }

    /// The same, for a file that may have a version history.
    func changesOfUnversioned(_ connection: Connection) throws -> [Change] {
        if let entry = try VersionHistory(connection: connection).entries().last {
            throw versioned(entry.version, connection)
        }
        return try changes(of: connection)
    }

    func versioned(_ version: String, _ connection: Connection) -> StrongroomError {
        connection.failure(
            .otherMigrations,
            """
            The file is at version "\(version)" of a migrator with steps, and this one is automatic. Continue with the \
            steps; the file was not changed.
            """)
    }

    static func carryOut(_ changes: [Change], in db: borrowing MigrationTransaction) throws {
        guard changes.contains(where: \.convertsDecimals) else {
            for change in changes { try change.carryOut(in: db) }
            return
        }
        // An existing check may be written for the digits of decimals; a later change replaces it.
        try db._handle.connection.withoutChecks(of: Set(changes.map(\.schema.name)).sorted()) {
            for change in changes { try change.carryOut(in: db) }
        }
    }
}

extension AutomaticSchema.Change {
    fileprivate func carryOut(in db: borrowing MigrationTransaction) throws {
        let table = schema.name
        switch kind {
        case .createTable: try db.createTable(schema)
        case .renameColumn(let from, let to): try db.renameColumn(from, to: to, in: table)
        case .addColumn(let column): try db.addColumn(DeclaredColumn(definition: column), to: table)
        case .changeColumn(let column): try db.changeColumn(DeclaredColumn(definition: column), in: table)
        case .keepKeys(let column):
            try db.savepoint { db in try ColumnChange(db._handle.connection, table).keepKeys(column) }
        case .dropColumn(let column): try db.dropColumn(column, from: table)
        case .dropIndex(let index): try db.dropIndex(index)
        case .createIndex(let index):
            // A column that was added or changed may have created an index with that name, in another form.
            try db.dropIndex(index.name(in: table), ifExists: true)
            try db.createIndex(index, on: table)
        case .pauseHistory: try db.stopHistory(of: table)
        case .keepHistory: try db.keepHistory(of: schema)
        case .pauseFullText: try db.stopFullText(of: table)
        case .keepFullText: try db.keepFullText(of: schema)
        }
    }

    private struct DeclaredColumn: SchemaColumn {
        let definition: ColumnDefinition
    }
}
