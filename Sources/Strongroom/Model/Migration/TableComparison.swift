struct TableComparison {
    typealias Change = AutomaticSchema.Change.Kind

    let schema: TableSchema
    let entries: [SchemaEntry]
    let connection: Connection
    let removesColumns: Bool

    func changes() throws -> [AutomaticSchema.Change] {
        try kinds().map { AutomaticSchema.Change(schema, $0) }
    }

    private func kinds() throws -> [Change] {
        try checkIndexNames()
        let name = schema.name
        guard let entry = entries.first(where: { $0.kind == .table && Identifier.areSame($0.name, name) }) else {
            if let other = entries.first(where: { $0.kind == .view && Identifier.areSame($0.name, name) }) {
                throw refusal("\(other.title) has the name of a declared table; rename one.")
            }
            return [.createTable]
        }
        guard let text = CreateTableText(entry.sql) else {
            throw refusal("Table \"\(entry.name)\" is virtual, and its module defines its columns; do not declare it.")
        }
        let infos = try connection.columnInfos(of: entry.name).filter { !$0.isHidden }
        let renamed = try schema.renamings(of: infos.map(\.name), connection)
        let renamings = renamed.map { Change.renameColumn(from: $0.from, to: $0.to) }
        let left = try leftColumns(infos, renamed)
        let own = try columnChanges(infos, renamed, text)
        // A check may use a column that is added, and a column that is removed is needed until no declaration uses it.
        let columns = own.filter(\.addsColumn) + own.filter { !$0.addsColumn } + left
        let dropped = try indexesToDrop(renamed)
        return dropped.map { .dropIndex($0) } + renamings + columns + indexesToCreate(except: dropped)
    }

    private func refusal(_ message: String) -> StrongroomError {
        connection.refusal("\(message) The file was not changed.")
    }

    // MARK: Columns

    private typealias Renaming = (from: String, to: String)

    private func leftColumns(_ infos: [ColumnInfo], _ renamed: [Renaming]) throws -> [Change] {
        let left = infos.filter { info in
            !schema.columns.contains { Identifier.areSame($0.name, info.name) }
                && !renamed.contains { Identifier.areSame($0.from, info.name) }
        }
        if let key = left.first(where: { $0.keyPosition != nil }) {
            throw refusal(
                """
                Column "\(key.name)" belongs to the primary key of table "\(schema.name)" in the file, and is not \
                declared; declare it.
                """
            )
        }
        if removesColumns { return try left.flatMap { try removal(of: $0.name) } }
        // No row could be inserted any more.
        if let needed = left.first(where: { !$0.isNullable && $0.defaultSQL == nil && $0.generated == nil }) {
            throw refusal(
                """
                Column "\(needed.name)" of table "\(schema.name)" may not be NULL, has no default and is not declared, \
                so no row could be inserted. Declare it, or let the migrator remove columns.
                """)
        }
        return []
    }

    /// A column is removed after its indexes that are no longer declared.
    private func removal(of column: String) throws -> [Change] {
        let indexes = try connection.indexInfos(of: schema.name).filter { index in
            index.isExplicit && index.parts.contains { Identifier.areSame($0.column ?? "", column) }
                && !schema.indexes.contains { Identifier.areSame($0.name(in: schema.name), index.name) }
        }
        return indexes.map { .dropIndex($0.name) } + [.dropColumn(column)]
    }

    private func columnChanges(
        _ infos: [ColumnInfo], _ renamed: [Renaming], _ text: CreateTableText
    ) throws -> [Change] {
        try schema.columns.compactMap { column -> Change? in
            let previous = renamed.first { Identifier.areSame($0.to, column.name) }?.from
            let name = previous ?? column.name
            // The column with that name may be renamed itself.
            let isLeaving = previous == nil && renamed.contains { Identifier.areSame($0.from, name) }
            guard !isLeaving, let info = infos.first(where: { Identifier.areSame($0.name, name) }),
                let position = text.position(of: name)
            else {
                guard !column.isPrimaryKey else { throw otherKey(column) }
                return .addColumn(column)
            }
            guard (info.keyPosition != nil) == column.isPrimaryKey else { throw otherKey(column) }
            let declared = [SQLToken](sql: try column.sql(isSoleKey: schema.primaryKeys.count == 1))
            let stored = text.items[position]
            guard comparable(declared) != comparable(stored) else { return nil }
            // Used keys are known only if the engine records them from now on.
            if column.isAutoincrementing, info.keyPosition != nil,
                !stored.contains(where: { $0.isWord("AUTOINCREMENT") }),
                Identifier.areSame(info.declaredType, column.declaredType), !text.isWithoutRowID
            {
                return .keepKeys(column)
            }
            try refuseToEmpty(info, column)
            guard column.isPrimaryKey else { return .changeColumn(column) }
            // A key is not changed, so only its declared type must match.
            guard Identifier.areSame(info.declaredType, column.declaredType) else { throw otherKey(column) }
            return nil
        }
    }

    /// A declaration without the column's name, which is compared separately, and without the table name as a
    /// qualifier, which the rebuild of a table removes.
    private func comparable(_ declaration: [SQLToken]) -> String {
        let name = declaration.firstIndex { $0.kind != .space } ?? 0
        let rest = CreateTableText.withoutQualifier(schema.name, Array(declaration.dropFirst(name + 1)))
        return CreateTableText.withPlainDefault(rest).normalised
    }

    private func refuseToEmpty(_ info: ColumnInfo, _ column: ColumnDefinition) throws {
        guard column.generated != nil, info.generated == nil, !removesColumns, try holdsValues(info.name) else {
            return
        }
        throw refusal(
            """
            Column "\(info.name)" of table "\(schema.name)" contains values and is declared as a generated column, \
            which would lose them. Declare it as it is, or let the migrator remove columns.
            """)
    }

    private func holdsValues(_ column: String) throws -> Bool {
        let (table, column) = (Identifier.quote(schema.name), Identifier.quote(column))
        return try connection.ownValue("SELECT 1 FROM \(table) WHERE \(column) IS NOT NULL LIMIT 1") != nil
    }

    private func otherKey(_ column: ColumnDefinition) -> StrongroomError {
        refusal(
            """
            The primary key of table "\(schema.name)" in the file differs from its declaration (column \
            "\(column.name)"), and is not changed automatically. Create a new table in a migration with steps, and \
            move the rows.
            """)
    }

    // MARK: Indexes

    /// An index of another table is not dropped to free its name.
    private func checkIndexNames() throws {
        for index in schema.indexes {
            guard let other = entry(index.name(in: schema.name)), !Identifier.areSame(other.table, schema.name) else {
                continue
            }
            throw refusal(
                """
                The index "\(other.name)" that is declared for table "\(schema.name)" has the name of an index of \
                table "\(other.table)" in the file; give it another name.
                """)
        }
    }

    /// Indexes that differ from their declaration, or that have a name from before the renaming of a column.
    private func indexesToDrop(_ renamed: [Renaming]) throws -> [String] {
        try schema.indexes.compactMap { index in
            let name = index.name(in: schema.name)
            if let entry = entry(name) {
                let isSame =
                    try [SQLToken].normalised(entry.sql) == [SQLToken].normalised(index.sql(table: schema.name))
                // An index that contains the column by its previous name is renamed with it.
                return isSame || !renamed.isEmpty ? nil : name
            }
            guard index.name == nil, let previous = previousName(index, renamed), let entry = entry(previous),
                Identifier.areSame(entry.table, schema.name)
            else { return nil }
            return entry.name
        }
    }

    private func indexesToCreate(except dropped: [String]) -> [Change] {
        schema.indexes.filter { index in
            let name = index.name(in: schema.name)
            return entry(name) == nil || dropped.contains(name)
        }.map { .createIndex($0) }
    }

    private func entry(_ index: String) -> SchemaEntry? {
        entries.first { $0.kind == .index && Identifier.areSame($0.name, index) }
    }

    private func previousName(_ index: TableIndex, _ renamed: [Renaming]) -> String? {
        let columns = index.columns.map { column in
            renamed.first { Identifier.areSame($0.to, column) }?.from ?? column
        }
        return columns == index.columns ? nil : ([schema.name] + columns).joined(separator: "_")
    }
}

extension AutomaticSchema.Change.Kind {
    fileprivate var addsColumn: Bool { if case .addColumn = self { true } else { false } }
}
