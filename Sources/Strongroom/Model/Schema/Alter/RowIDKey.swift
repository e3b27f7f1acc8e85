extension ColumnInfo {
    /// The names by which the engine knows the row id, where no column has them.
    static let rowIDNames = ["rowid", "_rowid_", "oid"]
}

extension Connection {
    /// The column that is the row's id in a table of the file; nil where there is none.
    ///
    /// See "CREATE TABLE", section 5, "ROWIDs and the INTEGER PRIMARY KEY" (sqlite.org/lang_createtable.html).
    func rowIDColumn(of table: String, _ columns: [ColumnInfo], _ text: CreateTableText) throws -> ColumnInfo? {
        let keys = columns.filter { $0.keyPlace != nil }
        guard keys.count == 1, Identifier.areSame(keys[0].declaredType, StorageClass.integer.rawValue),
            !text.isWithoutRowID
        else { return nil }
        // `INTEGER PRIMARY KEY DESC` is not the row's id, and has an index.
        let hasIndex = try indexFacts(of: table).contains(where: \.isPrimaryKey)
        return hasIndex ? nil : keys[0]
    }

    /// Refuses to insert a record without a key where the engine would make none: the row would have NULL for its key,
    /// and the row id would be taken for it.
    ///
    /// - Throws: ``StrongroomError`` with `missingKey`.
    @usableFromInline
    func requireMadeKeys(of schema: TableSchema) throws {
        guard let key = schema.primaryKeys.first, !checkedTables.madeKeys.contains(schema.name) else { return }
        guard schema.rowIDColumn != nil else { throw noMadeKeys(schema, key) }
        let sql = try ownValue(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE", .text(schema.name))
        // Of what is not there the engine tells; the rows of a view or a virtual table are made elsewhere.
        guard let text = sql?.asText.flatMap(CreateTableText.init) else { return }
        let columns = try columnInfos(of: schema.name)
        guard columns.contains(where: { Identifier.areSame($0.name, key.name) }) else { return }
        guard let found = try rowIDColumn(of: schema.name, columns, text), Identifier.areSame(found.name, key.name)
        else { throw noMadeKeys(schema, key) }
        // What a transaction has made may be undone with it.
        if !transaction.tables.writes.contains("sqlite_master") { checkedTables.madeKeys.insert(schema.name) }
    }

    private func noMadeKeys(_ schema: TableSchema, _ key: ColumnDefinition) -> StrongroomError {
        StrongroomError(
            .missingKey,
            """
            A record of table "\(schema.name)" has no key, and the engine makes none: column "\(key.name)" is not \
            declared as INTEGER PRIMARY KEY, so that the row would have NULL in it. Give the record a key, or make the \
            table anew in a migration with that declaration.
            """,
            database: database)
    }
}
