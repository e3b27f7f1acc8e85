extension ColumnInfo {
    /// The names of the row id, unless columns have them.
    static let rowIDNames = ["rowid", "_rowid_", "oid"]
}

extension [ColumnInfo] {
    /// A name of the row id that no column has; nil if columns have all of them.
    var freeRowIDName: String? {
        ColumnInfo.rowIDNames.first { name in !contains { $0.name.isSameName(as: name) } }
    }
}

extension Connection {
    /// The column that is an alias of the row id in a table of the file; nil if there is none.
    ///
    /// See "CREATE TABLE", section 5, "ROWIDs and the INTEGER PRIMARY KEY" (sqlite.org/lang_createtable.html).
    func rowIDColumn(of table: String, _ columns: [ColumnInfo], _ text: CreateTableText) throws -> ColumnInfo? {
        let keys = columns.filter { $0.keyPlace != nil }
        guard keys.count == 1, Identifier.areSame(keys[0].declaredType, StorageClass.integer.rawValue),
            !text.isWithoutRowID
        else { return nil }
        // `INTEGER PRIMARY KEY DESC` is not an alias of the row id, and has an index.
        let hasIndex = try indexFacts(of: table).contains(where: \.isPrimaryKey)
        return hasIndex ? nil : keys[0]
    }

    /// Throws if a record without a key is to be inserted and the engine would not generate one: the row would have
    /// NULL as its key, and the row id would be mistaken for it.
    ///
    /// - Throws: ``StrongroomError`` with `missingKey`.
    @usableFromInline
    func requireGeneratedKeys(of schema: TableSchema) throws {
        guard let key = schema.primaryKeys.first, !checkedTables.generatedKeys.contains(schema.name) else { return }
        guard schema.rowIDColumn != nil else { throw noMadeKeys(schema, key) }
        // The engine reports a missing table; the rows of a view or a virtual table are created elsewhere.
        guard let text = try schemaText(of: .table, schema.name).flatMap(CreateTableText.init) else { return }
        let columns = try columnInfos(of: schema.name)
        guard columns.contains(where: { Identifier.areSame($0.name, key.name) }) else { return }
        guard let found = try rowIDColumn(of: schema.name, columns, text), Identifier.areSame(found.name, key.name)
        else { throw noMadeKeys(schema, key) }
        // Tables created in this transaction may be rolled back.
        if !transaction.tables.changesSchema { checkedTables.generatedKeys.insert(schema.name) }
    }

    private func noMadeKeys(_ schema: TableSchema, _ key: ColumnDefinition) -> StrongroomError {
        StrongroomError(
            .missingKey,
            """
            A record of table "\(schema.name)" has no key, and the engine does not generate one: column "\(key.name)" \
            is not declared as INTEGER PRIMARY KEY, so its value would be NULL. Set the record's key, or rebuild the \
            table with that declaration in a migration.
            """,
            database: database)
    }
}
