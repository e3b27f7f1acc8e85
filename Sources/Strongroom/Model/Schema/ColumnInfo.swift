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
    public let keyPlace: Int?
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
    func columnInfos(of table: String) throws -> [ColumnInfo] {
        let hasMore = try EngineFeatures.current().hasExtendedTableInfo
        let pragma = hasMore ? "table_xinfo" : "table_info"
        var columns: [ColumnInfo] = []
        try withOwnStatement("PRAGMA \(pragma)(\(Identifier.quote(table)))") { statement in
            let row = Row(statement)
            while try statement.step() {
                let hidden = hasMore ? try row.integer(at: 6) : 0
                let keyPlace = Int(try row.integer(at: 5))
                columns.append(
                    ColumnInfo(
                        name: try row.text(at: 1),
                        declaredType: Self.withoutGenerated(try row.text(at: 2), hidden),
                        isNullable: try row.integer(at: 3) == 0,
                        defaultSQL: try row.textIfPresent(at: 4),
                        keyPlace: keyPlace == 0 ? nil : keyPlace,
                        generated: hidden == 2 ? .virtual : hidden == 3 ? .stored : nil,
                        isHidden: hidden == 1))
            }
        }
        return columns
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
        return Value.text(word.name ?? sql).literal
    }

    /// TRUE and FALSE are names before SQLite 3.23.
    private static var sqliteHasNoBooleans: Bool {
        (try? EngineFeatures.current().sqliteVersionNumber < 3_023_000) ?? false
    }
}
