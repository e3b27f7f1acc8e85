extension Connection {
    /// Called before a statement is prepared that updates or deletes the row with a key: throws if several rows can
    /// have one, because the file's table has neither a primary key nor a unique index of the declared columns, as that
    /// of another program.
    ///
    /// - Throws: ``StrongroomError`` with `tableDiffers`.
    @usableFromInline
    func requireUniqueKey(of schema: TableSchema) throws {
        guard !schema.primaryKeys.isEmpty, !checkedTables.uniqueKeys.contains(schema.keyNames) else { return }
        // The engine reports a missing table; the rows of a view or a virtual table are identified elsewhere.
        guard try schemaText(of: .table, schema.name).flatMap(CreateTableText.init) != nil else { return }
        let keys = schema.primaryKeys.map(\.name)
        guard try isUnique(keys, in: schema.name) else { throw noUniqueKey(schema, keys) }
        // Tables created in this transaction may be rolled back.
        if !transaction.tables.changesSchema { checkedTables.uniqueKeys.insert(schema.keyNames) }
    }

    /// Whether no two rows of a table in the file can have the same values in some columns.
    private func isUnique(_ names: [String], in table: String) throws -> Bool {
        func isPart(_ columns: [String]) -> Bool {
            !columns.isEmpty && columns.allSatisfy { Identifier.index(of: $0, in: names) != nil }
        }
        let columns = try columnInfos(of: table)
        if isPart(columns.filter { $0.keyPlace != nil }.map(\.name)) { return true }
        // The row id, by a name that no column has.
        let isRowID = names.contains { name in
            ColumnInfo.rowIDNames.contains { $0.isSameName(as: name) }
                && !columns.contains { Identifier.areSame($0.name, name) }
        }
        if isRowID { return true }
        return try indexInfos(of: table).contains { index in
            let parts = index.parts.compactMap(\.column)
            return index.isUnique && !index.isPartial && parts.count == index.parts.count && isPart(parts)
        }
    }

    private func noUniqueKey(_ schema: TableSchema, _ keys: [String]) -> StrongroomError {
        let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
        return StrongroomError(
            .tableDiffers,
            """
            Several rows of table "\(schema.name)" can have the same key: in the file, \(list) is neither its primary \
            key nor in a unique index, as it is declared. Nothing was changed. Create a unique index on \(list), or \
            write by a condition (`where`).
            """,
            database: database)
    }
}
