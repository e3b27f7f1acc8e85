/// Creates the tables that are missing, where no migrator keeps the schema. The store attaches it to its connections.
final class MissingTables: Sendable {
    let create: @Sendable (TableSchema, Connection) throws -> Void

    init(create: @escaping @Sendable (TableSchema, Connection) throws -> Void) {
        self.create = create
    }
}

extension Connection {
    /// Called before a statement of a table's operations is prepared: creates the table where it is missing and no
    /// migrator would create it, and checks the stored form of its decimals and dates.
    @usableFromInline
    func prepareTable(_ schema: TableSchema) throws {
        if let missing = attachments[MissingTables.self] { try missing.create(schema, self) }
        try requireStoredForms(of: schema)
    }
}

extension Connection {
    /// Throws if the file stores a table's decimals or dates in another form than declared here: decimals in that of
    /// earlier versions, which does not compare as numbers, or at another scale; dates in another ``DateForm``. A type
    /// that names no form of dates, such as DATETIME in a file of another library, is accepted.
    func requireStoredForms(of schema: TableSchema) throws {
        guard !schema.formed.isEmpty, !checkedTables.forms.contains(schema.formTypes) else { return }
        let isTable = try hasTable(schema.name)
        // In the file: what shows rows in memory beside those of a table has its name, and may have other types.
        let inFile = try columnInfos(of: schema.name, in: "main")
        let infos = inFile.isEmpty ? try columnInfos(of: schema.name) : inFile
        for column in schema.formed {
            guard let info = infos.first(where: { Identifier.areSame($0.name, column.name) }),
                !Identifier.areSame(info.declaredType, column.declaredType)
            else { continue }
            let remedy: String
            if column.holdsDates {
                guard let stored = DateForm(declaredType: info.declaredType) else { continue }
                remedy =
                    "Declare the form that the file has (`as: \(stored.name)`), or add a new column in a migration and "
                    + "fill it from the old one."
            } else {
                // The columns of a view come from other tables.
                guard isTable else { continue }
                remedy =
                    "Change it with `db.changeColumn(_:in:)` in a migration, or use an automatic migrator; in CREATE "
                    + "TABLE, declare it as \(column.declaredType)."
            }
            throw failure(
                .tableDiffers,
                """
                Column "\(column.name)" of table "\(schema.name)" is declared as \(info.declaredType), not as \
                \(column.declaredType). \(remedy)
                """)
        }
        // Uncommitted changes may be rolled back; the engine reports a missing table.
        if !infos.isEmpty, !transaction.tables.changesSchema {
            checkedTables.forms.insert(schema.formTypes)
        }
    }
}

/// The tables that have been found, since statements were prepared, to be in the file as they are declared.
final class CheckedTables {
    /// Tables whose decimals and dates are stored in the declared forms.
    fileprivate(set) var forms: Set<String> = []
    /// Tables whose keys the engine generates; see ``Connection/requireGeneratedKeys(of:)``.
    var generatedKeys: Set<String> = []
    /// Tables whose declared keys are unique in the file; see ``Connection/requireUniqueKey(of:)``.
    var uniqueKeys: Set<String> = []
}

extension Connection {
    var checkedTables: CheckedTables { statements.attachments.object(CheckedTables()) }
}

extension ColumnInfo {
    /// The names of the row id, unless columns have them.
    static let rowIDNames = ["rowid", "_rowid_", "oid"]
}

extension [ColumnInfo] {
    /// A name of the row id that no column has; nil if columns have all of them.
    var freeRowIDName: String? {
        ColumnInfo.rowIDNames.first { name in !contains { $0.name.isSameName(as: name) } }
    }

    var keys: [ColumnInfo] { filter { $0.keyPosition != nil }.sorted { $0.keyPosition ?? 0 < $1.keyPosition ?? 0 } }
}

extension Connection {
    /// The name of a table's row id; nil if it has none that can be named, or if there is no such table.
    func rowIDName(of table: String) throws -> String? {
        guard let text = try schemaText(of: .table, table).flatMap(CreateTableText.init), !text.isWithoutRowID else {
            return nil
        }
        return try columnInfos(of: table).freeRowIDName
    }

    /// The column that is an alias of the row id in a table of the file; nil if there is none.
    ///
    /// See "CREATE TABLE", section 5, "ROWIDs and the INTEGER PRIMARY KEY" (sqlite.org/lang_createtable.html).
    func rowIDColumn(of table: String, _ columns: [ColumnInfo], _ text: CreateTableText) throws -> ColumnInfo? {
        let keys = columns.keys
        guard keys.count == 1, Identifier.areSame(keys[0].declaredType, StorageClass.integer.rawValue),
            !text.isWithoutRowID
        else { return nil }
        // `INTEGER PRIMARY KEY DESC` is not an alias of the row id, and has an index.
        let hasIndex = try indexFacts(of: table).contains(where: \.isPrimaryKey)
        return hasIndex ? nil : keys[0]
    }

    /// Throws if a record without a key is to be inserted and the engine would not generate one: the row would have
    /// NULL as its key, and the row id would be mistaken for it.
    @usableFromInline
    func requireGeneratedKeys(of schema: TableSchema) throws {
        guard let key = schema.primaryKeys.first, !checkedTables.generatedKeys.contains(schema.name) else { return }
        guard schema.rowIDColumn != nil else { throw noGeneratedKeys(schema, key) }
        // The engine reports a missing table; the rows of a view or a virtual table are created elsewhere.
        guard let text = try schemaText(of: .table, schema.name).flatMap(CreateTableText.init) else { return }
        let columns = try columnInfos(of: schema.name)
        guard columns.contains(where: { Identifier.areSame($0.name, key.name) }) else { return }
        guard let found = try rowIDColumn(of: schema.name, columns, text), Identifier.areSame(found.name, key.name)
        else { throw noGeneratedKeys(schema, key) }
        // Tables created in this transaction may be rolled back.
        if !transaction.tables.changesSchema { checkedTables.generatedKeys.insert(schema.name) }
    }

    private func noGeneratedKeys(_ schema: TableSchema, _ key: ColumnDefinition) -> StrongroomError {
        failure(
            .missingKey,
            """
            A record of table "\(schema.name)" has no key, and the engine does not generate one: column "\(key.name)" \
            is not declared as INTEGER PRIMARY KEY, so its value would be NULL. Set the record's key, or rebuild the \
            table with that declaration in a migration.
            """)
    }
}
