/// Brings a file's tables to what a program declares.
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

        /// The table that is another one after it.
        var table: String {
            switch self {
            case .createTable(let table), .renameColumn(let table, _, _), .addColumn(let table, _),
                .changeColumn(let table, _), .convertDecimals(let table, _), .keepKeys(let table, _),
                .dropColumn(let table, _), .dropIndex(let table, _), .createIndex(let table, _):
                table
            }
        }

        /// For reports.
        var words: String {
            switch self {
            case .createTable(let table): "table \"\(table)\" added"
            case .renameColumn(let table, let from, let to):
                "table \"\(table)\": column \"\(from)\" renamed to \"\(to)\""
            case .addColumn(let table, let column): "table \"\(table)\": column \"\(column)\" added"
            case .changeColumn(let table, let column): "table \"\(table)\": column \"\(column)\" changed"
            case .convertDecimals(let table, let column):
                "table \"\(table)\": decimals of column \"\(column)\" written in the form that sorts"
            case .keepKeys(let table, let column):
                "table \"\(table)\": keys in column \"\(column)\" are never given twice from now on"
            case .dropColumn(let table, let column): "table \"\(table)\": column \"\(column)\" removed"
            case .dropIndex(let table, let index): "table \"\(table)\": index \"\(index)\" removed"
            case .createIndex(let table, let index): "table \"\(table)\": index \"\(index)\" added"
            }
        }
    }

    /// Looks for mistakes in the declarations.
    ///
    /// - Throws: ``StrongroomError`` with `invalidMigrator`, `invalidName`, or what the engine cannot make.
    func check() throws {
        var seen: Set<String> = []
        for table in tables {
            _ = try table.creationSQL()
            guard seen.insert(table.name.asciiFolded).inserted else {
                throw StrongroomError(
                    .invalidMigrator, "The table \"\(table.name)\" stands twice in the migrator; give each table once.")
            }
        }
        try checkIndexNames()
    }

    /// The names of indexes are the whole file's, together with those of tables.
    private func checkIndexNames() throws {
        var owners = Dictionary(tables.map { ($0.name.asciiFolded, "a table") }) { first, _ in first }
        for table in tables {
            for index in table.indexes {
                let name = index.name(in: table.name)
                guard let other = owners.updateValue("an index of table \"\(table.name)\"", forKey: name.asciiFolded)
                else { continue }
                throw StrongroomError(
                    .invalidMigrator,
                    "The index \"\(name)\" of table \"\(table.name)\" has the name of \(other); give it another name.")
            }
        }
    }

    /// What a file needs, in the order in which it is to be done; in a transaction, without a write.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange` for what cannot be brought to the declaration.
    func changes(of connection: Connection) throws -> [Change] {
        let entries = try connection.schemaEntries()
        return try tables.flatMap { try TableComparison($0, entries, connection, removesColumns).changes() }
    }

    /// The same, for a file that may have been through versions.
    ///
    /// - Throws: ``StrongroomError`` with `invalidMigrator` when it has.
    func changesOfUnversioned(_ connection: Connection) throws -> [Change] {
        if let entry = try VersionHistory(connection: connection).entries().last {
            throw StrongroomError(
                .invalidMigrator,
                """
                The file is at version "\(entry.version)" of a migrator with steps, and this one is automatic. Go on \
                with the steps; the file was not touched.
                """,
                database: connection.database)
        }
        return try changes(of: connection)
    }

    /// Makes the changes.
    func carryOut(_ changes: [Change], in db: borrowing MigrationTransaction) throws {
        guard try changes.contains(where: convertsDecimals) else {
            for change in changes { try carryOut(change, in: db) }
            return
        }
        // A check that was there may be for the digits, and is replaced by one of the changes to come.
        try db.handle.connection.withoutChecks(of: Set(changes.map(\.table)).sorted()) {
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
            try db.savepoint { db in try ColumnChange(db.handle.connection, table).keepKeys(definition) }
        case .dropColumn(let table, let column):
            try db.dropColumn(column, from: table)
        case .dropIndex(_, let index):
            try db.dropIndex(index)
        case .createIndex(let table, let name):
            for index in try schema(table).indexes where Identifier.areSame(index.name(in: table), name) {
                // A column that was added or changed has brought one of that name, which may be of another form.
                try db.dropIndex(name, ifExists: true)
                try db.createIndex(index, on: table)
            }
        }
    }

    private func schema(_ name: String) throws -> TableSchema {
        guard let table = tables.first(where: { Identifier.areSame($0.name, name) }) else {
            throw StrongroomError(.invalidMigrator, "There is no table \"\(name)\" in the migrator.")
        }
        return table
    }

    private func definition(_ column: String, of table: String) throws -> ColumnDefinition {
        guard let found = try schema(table).columns.first(where: { Identifier.areSame($0.name, column) }) else {
            throw StrongroomError(.invalidMigrator, "There is no column \"\(column)\" in table \"\(table)\".")
        }
        return found
    }

    private struct DeclaredColumn: TableColumn {
        let definition: ColumnDefinition
    }
}

extension [AutomaticSchema.Change] {
    /// Changes of columns in the order in which they can be made: new columns, then decimals, of which the computed
    /// ones are right once the others are.
    func sorted(computed: [String]) -> Self {
        func rank(_ change: AutomaticSchema.Change) -> Int {
            switch change {
            case .addColumn: 0
            case .convertDecimals(_, let column): Identifier.place(of: column, in: computed) != nil ? 2 : 1
            default: 3
            }
        }
        return (0...3).flatMap { place in filter { rank($0) == place } }
    }
}
