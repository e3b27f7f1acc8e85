extension Reading where Self: ~Copyable {
    /// The names of the tables, without the internal tables of the engine and the library.
    ///
    /// - Returns: The names in alphabetical order.
    /// - Throws: ``StrongroomError`` with the engine's error.
    public func tableNames() throws -> [String] {
        var names: [String] = []
        let query: SQL = """
            SELECT name FROM sqlite_master
            WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name NOT LIKE 'strongroom~_%' ESCAPE '~'
            ORDER BY name
            """
        try forEachRow(query) { row in names.append(try row[0]) }
        return names
    }

    /// Whether a table exists; the case of A to Z is ignored.
    ///
    /// - Parameter name: The table's name.
    /// - Returns: True if it exists; a view is not a table.
    /// - Throws: ``StrongroomError`` with the engine's error.
    public func hasTable(_ name: String) throws -> Bool {
        try value(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE", as: Int.self) != nil
    }

    package func tableText(_ name: String) throws -> String? {
        try _handle.connection.schemaText(of: .table, name)
    }

    /// The columns of a table or a view in the file.
    ///
    /// - Parameter table: The table's name.
    /// - Returns: The columns in order.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table, or the engine's error.
    public func columns(of table: String) throws -> [ColumnInfo] {
        try _handle.connection.checkedColumnInfos(of: table)
    }

    /// The indexes of a table, including those created by a primary key or a unique column.
    ///
    /// - Parameter table: The table's name.
    /// - Returns: The indexes, ordered by name.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table, or the engine's error.
    public func indexes(of table: String) throws -> [IndexInfo] {
        _ = try _handle.connection.checkedColumnInfos(of: table)
        return try _handle.connection.indexInfos(of: table)
    }
}

extension Writing where Self: ~Copyable {
    /// The row id of the last row that this connection inserted; 0 before the first.
    ///
    /// See "Last Insert Rowid" (sqlite.org/c3ref/last_insert_rowid.html).
    public var lastInsertedRowID: Int64 { _handle.connection.lastInsertedRowID }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed, without changes by triggers and foreign
    /// key actions.
    public var changedRows: Int { _handle.connection.changes }

    /// The number of rows changed since the transaction began, including changes by triggers and foreign key actions,
    /// and changes that were rolled back.
    public var changedRowsInTransaction: Int { _handle.connection.totalChanges - _handle.changesBefore }
}

extension Connection {
    func checkedColumnInfos(of table: String) throws -> [ColumnInfo] {
        try checkTransaction()
        try Identifier.check(table, "table")
        let columns = try columnInfos(of: table)
        guard !columns.isEmpty else { throw failure(.sql, "no such table: \(table).") }
        return columns
    }
}

/// The properties of a table's column, as reported by the engine.
public struct ColumnInfo: Sendable, Equatable {
    /// The column's name.
    public let name: String
    /// The declared type; empty if there is none.
    public let declaredType: String
    /// Whether it may hold NULL.
    public let isNullable: Bool
    /// The SQL text of the default.
    public let defaultSQL: String?
    /// The position in the primary key, counted from 1; nil for other columns.
    public let keyPosition: Int?
    /// The kind of a generated column; nil for an ordinary column.
    public let generated: GeneratedKind?
    /// Whether it is a hidden column of a virtual table.
    public let isHidden: Bool

    /// The kinds of generated columns.
    public enum GeneratedKind: Sendable, Hashable {
        /// Stored with the row.
        case stored
        /// Computed when read.
        case virtual
    }
}

extension Connection {
    /// - Parameter schema: The database of the table; nil for the first that has it, the temporary one before the file.
    func columnInfos(of table: String, in schema: String? = nil) throws -> [ColumnInfo] {
        let hasMore = try EngineFeatures.current().hasExtendedTableInfo
        let pragma = (schema.map { "\($0)." } ?? "") + (hasMore ? "table_xinfo" : "table_info")
        return try ownRows("PRAGMA \(pragma)(\(Identifier.quote(table)))").map { row in
            let hidden = hasMore ? row[6].asInteger ?? 0 : 0
            return ColumnInfo(
                name: row[1].asText ?? "", declaredType: Self.withoutGenerated(row[2].asText ?? "", hidden),
                isNullable: row[3] == .integer(0), defaultSQL: row[4].asText,
                keyPosition: row[5].asInteger.flatMap { $0 == 0 ? nil : Int($0) },
                generated: hidden == 2 ? .virtual : hidden == 3 ? .stored : nil, isHidden: hidden == 1)
        }
    }

    /// Some versions of the engine include the first words of the GENERATED clause in the declared type.
    private static func withoutGenerated(_ type: String, _ hidden: Int64) -> String {
        let suffix = " GENERATED ALWAYS"
        return hidden > 1 && type.uppercased().hasSuffix(suffix) ? String(type.dropLast(suffix.count)) : type
    }
}

extension ColumnInfo {
    /// The default as an expression: the engine takes a word by itself as a text.
    var defaultExpression: String? {
        guard let sql = defaultSQL else { return nil }
        let tokens = [SQLToken](sql: sql).filter { $0.kind != .space }
        guard tokens.count == 1, let word = tokens.first, word.kind == .word || word.kind == .quoted,
            !word.isWord("NULL", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"),
            !word.isWord("TRUE", "FALSE") || Self.sqliteHasNoBooleans
        else { return sql }
        return SQLValue.text(word.name ?? sql).literal
    }

    /// TRUE and FALSE are names before SQLite 3.23.
    private static var sqliteHasNoBooleans: Bool {
        (try? EngineFeatures.current().sqliteVersionNumber < 3_023_000) ?? false
    }
}

/// The properties of a table's index, as reported by the engine.
public struct IndexInfo: Sendable, Equatable {
    /// The index's name.
    public let name: String
    /// Whether the values must be unique.
    public let isUnique: Bool
    /// Whether it is a partial index.
    public let isPartial: Bool
    /// Whether it was created by `CREATE INDEX`, not by a primary key or a unique column.
    public let isExplicit: Bool
    /// The indexed columns and expressions, in order.
    public let parts: [Part]
    /// The statement that created it; nil if a constraint created it.
    public let sql: String?

    /// An indexed column or expression.
    public struct Part: Sendable, Equatable {
        /// The column's name, or nil for an expression.
        public let column: String?
        /// Whether it is sorted in descending order.
        public let isDescending: Bool
        /// The collating sequence for texts.
        public let collation: Collation
    }
}

extension Connection {
    func indexInfos(of table: String) throws -> [IndexInfo] {
        try indexFacts(of: table).sorted { $0.name < $1.name }.map { index in
            IndexInfo(
                name: index.name, isUnique: index.isUnique, isPartial: index.isPartial, isExplicit: index.origin == "c",
                parts: try indexParts(of: index.name), sql: try schemaText(of: .index, index.name))
        }
    }

    private func indexParts(of index: String) throws -> [IndexInfo.Part] {
        // The columns after the indexed ones identify the row.
        try ownRows("PRAGMA index_xinfo(\(Identifier.quote(index)))").filter { $0[5] == .integer(1) }.map { row in
            IndexInfo.Part(
                column: row[2].asText, isDescending: row[3] != .integer(0), collation: Collation(row[4].asText ?? ""))
        }
    }
}

struct IndexFacts {
    let name: String
    let isUnique: Bool
    /// What created it: `c` for CREATE INDEX, `u` for a unique column, `pk` for a primary key.
    fileprivate let origin: String
    let isPartial: Bool
    var isPrimaryKey: Bool { origin == "pk" }
}

extension Connection {
    func indexFacts(of table: String) throws -> [IndexFacts] {
        try ownRows("PRAGMA index_list(\(Identifier.quote(table)))").map { row in
            IndexFacts(
                name: row[1].asText ?? "", isUnique: row[2] != .integer(0), origin: row[3].asText ?? "",
                isPartial: row[4] != .integer(0))
        }
    }
}
