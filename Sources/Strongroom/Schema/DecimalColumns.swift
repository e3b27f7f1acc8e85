extension ColumnDefinition {
    /// Whether a column of the file holds decimals in the form of older versions of the library.
    func isDecimals(of info: ColumnInfo) -> Bool {
        holdsDecimals && Identifier.areSame(info.declaredType, StorageClass.text.rawValue)
    }
}

extension Connection {
    /// Refuses to use decimals of a table that are stored in the form of older versions, in which they do not compare
    /// as numbers.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange`.
    @usableFromInline
    func requireSortedDecimals(of schema: TableSchema) throws {
        guard !schema.decimals.isEmpty, !sortedDecimals.contains(schema.name) else { return }
        let isTable = try ownValue(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE", .text(schema.name))
        // Of what is not there the engine tells; a view has its columns from elsewhere.
        guard isTable != nil else { return }
        let infos = try columnInfos(of: schema.name)
        for column in schema.decimals {
            guard let info = infos.first(where: { Identifier.areSame($0.name, column.name) }),
                !Identifier.areSame(info.declaredType, column.declaredType)
            else { continue }
            throw StrongroomError(
                .schemaChange,
                """
                Column «\(column.name)» of table «\(schema.name)» is declared as \(info.declaredType), where decimals do not \
                compare as numbers. Call `db.convertDecimals(of:)` in a migration, or let an automatic migrator do it; in SQL of \
                your own, declare it as \(column.declaredType).
                """,
                database: database)
        }
        // What is not committed may be undone.
        if !tables.writes.contains("sqlite_master") { sortedDecimals.insert(schema.name) }
    }
}

extension SortedDecimal {
    /// The digits of a column's values, in SQL.
    package static func digits(of column: String) -> SQL {
        """
        CASE WHEN substr(\(name: column), 1, 1) = 'p' THEN substr(\(name: column), 6) \
        WHEN substr(\(name: column), 1, 2) = '-n' \
        THEN substr(\(name: column), instr(\(name: column), '~') + 1) ELSE \(name: column) END
        """
    }
}
