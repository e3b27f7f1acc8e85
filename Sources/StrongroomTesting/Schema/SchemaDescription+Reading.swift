package import Strongroom

extension SchemaDescription {
    /// Reads the schema of a database, without the internal tables of the engine and the library.
    ///
    /// - Parameter withUpkeep: Whether it includes the library's own triggers that keep full-text indexes.
    package init(in db: borrowing some Reading & ~Copyable, withUpkeep: Bool = true) throws {
        self.init()
        for table in try db.tableNames() {
            for item in try TableReading(table, in: db).items(in: db) { add(item) }
        }
        var others: [(kind: String, name: String, table: String, sql: String)] = []
        try db.forEachRow(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE type IN ('trigger', 'view') AND sql IS NOT NULL
                AND name NOT IN ('strongroom_database', 'strongroom_data_key')
            """
        ) { row in others.append((try row[0], try row[1], try row[2], try row[3])) }
        for other in others where withUpkeep || !other.name.asciiFolded.hasPrefix("strongroom_") {
            var item = SchemaItem(title: "\(other.kind) \"\(other.name)\"")
            if other.kind == "trigger" { item.owner = "table \"\(other.table)\"" }
            item.add("the statement", SQLMeaning.ofCreation(other.sql).text, shown: "\"\(other.sql)\"")
            add(item)
        }
    }
}

private struct ForeignKey {
    var parent = ""
    var columns: [String] = []
    var parentColumns: [String] = []
    var actions: [String] = []
}

/// Reads the components of a table.
private struct TableReading {
    private let table: String
    private let title: String
    private let columns: [ColumnInfo]
    private let sql: String
    /// Nil for a virtual table.
    private let text: CreateTableText?

    init(_ table: String, in db: borrowing some Reading & ~Copyable) throws {
        self.table = table
        title = "table \"\(table)\""
        columns = try db.columns(of: table)
        sql = try db.tableText(table) ?? ""
        text = CreateTableText(sql)
    }

    func items(in db: borrowing some Reading & ~Copyable) throws -> [SchemaItem] {
        [try table(in: db)] + columns.map(column) + checks + (try indexes(in: db)) + (try foreignKeys(in: db))
    }

    private var keyColumns: [ColumnInfo] {
        columns.filter { $0.keyPosition != nil }.sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
    }

    private var isWithoutRowID: Bool { text?.isWithoutRowID ?? false }
    private var isStrict: Bool { text?.tail.contains { $0.isWord("STRICT") } ?? false }

    /// The column that is an alias of the row id.
    private var rowIDColumn: ColumnInfo? {
        guard !isWithoutRowID, keyColumns.count == 1, keyColumns[0].declaredType.asciiFolded == "integer" else {
            return nil
        }
        return keyColumns[0]
    }

    private func table(in db: borrowing some Reading & ~Copyable) throws -> SchemaItem {
        var item = SchemaItem(title: title)
        let isVirtual = text == nil
        let key = Self.list(keyColumns.map(\.name))
        item.add("the primary key", keyColumns.isEmpty ? nil : key.asciiFolded, shown: key)
        let keyIndex = try db.indexes(of: table).first {
            !$0.isExplicit && $0.parts.map(\.column) == keyColumns.map(\.name)
        }
        item.add("the collation of the primary key", keyIndex.map(Self.collations))
        let conflicts = text?.conflicts ?? []
        item.add("ON CONFLICT", conflicts.isEmpty ? nil : conflicts.joined(separator: ", "))
        item.add("AUTOINCREMENT", [SQLToken](sql: sql).contains { $0.isWord("AUTOINCREMENT") })
        item.add("an integer key that is the row id", rowIDColumn != nil)
        item.add("WITHOUT ROWID", isWithoutRowID)
        item.add("STRICT", isStrict)
        item.add("the virtual table's statement", isVirtual ? SQLMeaning(sql).text : nil, shown: "\"\(sql)\"")
        return item
    }

    // MARK: Columns

    private func column(_ column: ColumnInfo) -> SchemaItem {
        var item = SchemaItem(title: "column \"\(table).\(column.name)\"", owner: title)
        let declaration = declaration(of: column.name)
        let type = column.declaredType
        // The library's own types say what a stored number or text means.
        let isOwn = StoredForm(declaredType: type) != nil || type.isSameName(as: SortedDecimal.declaredType)
        item.add(
            "the type", isStrict || isOwn ? type.asciiFolded : Self.affinity(of: type),
            shown: type.isEmpty ? "not declared" : type)
        // The row id is never NULL, nor is a part of the primary key of a WITHOUT ROWID table.
        let isNeverNull = column.name == rowIDColumn?.name || isWithoutRowID && column.keyPosition != nil
        item.add("NULL", isNeverNull || !column.isNullable ? "not allowed" : "allowed")
        item.add("the default", SQLMeaning.ofDefault(column.defaultSQL)?.text, shown: column.defaultSQL)
        item.add("the collation", Self.collation(declaration))
        let expression =
            column.generated == nil ? nil : declaration.parenthesised(behind: "AS").first.map(SQLMeaning.init)
        item.add(
            "the generated value", expression.map { "\($0.text) \(column.generated == .stored ? "stored" : "virtual")" }
        )
        return item
    }

    private func declaration(of column: String) -> [SQLToken] {
        guard let text else { return [] }
        let item = text.items.first { CreateTableText.column($0)?.asciiFolded == column.asciiFolded }
        return item?.significant ?? []
    }

    private static func collation(_ declaration: [SQLToken]) -> String {
        guard let position = declaration.firstIndex(where: { $0.isWord("COLLATE") }), position + 1 < declaration.count,
            let name = declaration[position + 1].name
        else { return "BINARY" }
        return name.uppercased()
    }

    /// See SQLite's documentation, "Datatypes In SQLite", section 3.1 (sqlite.org/datatype3.html).
    private static func affinity(of type: String) -> String {
        let type = type.uppercased()
        func has(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
        if has("INT") { return "INTEGER" }
        if has("CHAR", "CLOB", "TEXT") { return "TEXT" }
        if type.isEmpty || has("BLOB") { return "BLOB" }
        return has("REAL", "FLOA", "DOUB") ? "REAL" : "NUMERIC"
    }

    // MARK: Constraints

    /// A CHECK constraint applies to the row, whether it is a column or a table constraint.
    private var checks: [SchemaItem] {
        (text?.items ?? []).flatMap { $0.significant.parenthesised(behind: "CHECK") }.map { check in
            let text = SQLMeaning(check).text
            return SchemaItem(
                title: "check (\(text)) of \"\(table)\"", identity: "check (\(text)) of \"\(table.asciiFolded)\"",
                owner: title)
        }
    }

    private func indexes(in db: borrowing some Reading & ~Copyable) throws -> [SchemaItem] {
        let key = keyColumns.map(\.name)
        return try db.indexes(of: table).compactMap { index in
            let names = index.parts.map { $0.column ?? "an expression" }
            guard index.isExplicit else {
                guard names != key else { return nil }
                var item = SchemaItem(title: "unique constraint on \"\(table)\" \(Self.list(names))", owner: title)
                item.add("the collation", Self.collations(index))
                return item
            }
            var item = SchemaItem(title: "index \"\(index.name)\"", owner: title)
            let (parts, meaning, condition) = Self.content(of: index)
            item.add("the table", table.asciiFolded, shown: "\"\(table)\"")
            item.add(
                "what is indexed", meaning.joined(separator: ", "), shown: "(\(parts.joined(separator: ", ")))")
            item.add("UNIQUE", index.isUnique)
            item.add("the condition", condition?.text)
            return item
        }
    }

    private static func collations(_ index: IndexInfo) -> String {
        index.parts.map { $0.collation.name.uppercased() }.joined(separator: ", ")
    }

    /// - Returns: The indexed columns and expressions, for messages and for comparisons, and the condition.
    private static func content(of index: IndexInfo) -> (parts: [String], meaning: [String], condition: SQLMeaning?) {
        let tokens = [SQLToken](sql: index.sql ?? "").significant
        guard let start = tokens.firstIndex(where: { $0.isSign("(") }), let end = tokens.end(ofParenthesisAt: start)
        else {
            return ([], [], nil)
        }
        let written = Array(tokens[(start + 1)..<end]).list
        var (parts, meaning): ([String], [String]) = ([], [])
        for (position, part) in index.parts.enumerated() {
            let collation = part.collation == .binary ? "" : " COLLATE \(part.collation.name.uppercased())"
            let order = part.isDescending ? " DESC" : ""
            // The case of a literal is significant, that of a column's name is not.
            let expression = position < written.count ? SQLMeaning(written[position]).text : ""
            parts.append(part.column.map { $0 + collation + order } ?? expression)
            meaning.append(part.column.map { $0.asciiFolded + collation + order } ?? expression)
        }
        let rest = tokens[(end + 1)...].drop { !$0.isWord("WHERE") }.dropFirst()
        return (parts, meaning, rest.isEmpty ? nil : SQLMeaning(rest))
    }

    // MARK: Foreign keys

    private func foreignKeys(in db: borrowing some Reading & ~Copyable) throws -> [SchemaItem] {
        var keys: [Int: ForeignKey] = [:]
        // id, seq, table, from, to, on_update, on_delete, match
        try db.forEachRow("PRAGMA foreign_key_list(\(name: table))") { row in
            var key = keys[try row[0]] ?? ForeignKey()
            key.parent = try row[2]
            key.columns.append(try row[3])
            if let column: String = try row[4] { key.parentColumns.append(column) }
            key.actions = [try row[5], try row[6]]
            keys[try row[0]] = key
        }
        var items: [SchemaItem] = []
        for key in keys.values {
            let columns = try db.hasTable(key.parent) ? db.columns(of: key.parent) : []
            let whole = columns.filter { $0.keyPosition != nil }
                .sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }.map(\.name)
            let parents = key.parentColumns.isEmpty ? whole : key.parentColumns
            let target = "\"\(key.parent)\" \(Self.list(parents))"
            var item = SchemaItem(
                title: "foreign key of \"\(table)\" \(Self.list(key.columns)) to \(target)", owner: title)
            item.add("ON UPDATE", key.actions[0])
            item.add("ON DELETE", key.actions[1])
            item.add("the check", isDeferred(key.columns) ? "when the transaction ends" : "at once")
            items.append(item)
        }
        return items
    }

    private func isDeferred(_ columns: [String]) -> Bool {
        let wanted = columns.map(\.asciiFolded)
        return (text?.items ?? []).contains { item in
            let tokens = item.significant
            guard let position = tokens.firstIndex(where: { $0.isWord("INITIALLY") }), position + 1 < tokens.count,
                tokens[position + 1].isWord("DEFERRED"),
                !zip(tokens, tokens.dropFirst()).contains(where: { $0.isWord("NOT") && $1.isWord("DEFERRABLE") })
            else { return false }
            if let column = CreateTableText.column(item) { return [column.asciiFolded] == wanted }
            return tokens.parenthesised(behind: "KEY").contains { $0.list.map { SQLMeaning($0).text } == wanted }
        }
    }

    private static func list(_ names: [String]) -> String { "(\(names.joined(separator: ", ")))" }
}
