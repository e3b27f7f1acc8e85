/// What the engine tells of a column of a table.
public struct ColumnInfo: Sendable, Equatable {
    /// The column's name.
    public let name: String
    /// The type as it was declared; empty where none was.
    public let declaredType: String
    /// Whether it may hold NULL.
    public let isNullable: Bool
    /// The default, as SQL.
    public let defaultSQL: String?
    /// The place in the primary key, counted from 1; nil for a column outside it.
    public let keyPlace: Int?
    /// How the engine computes it; nil for a column that is written.
    public let generated: GeneratedKind?
    /// Whether it is a hidden column of a virtual table.
    public let isHidden: Bool

    /// How a generated column is kept.
    public enum GeneratedKind: Sendable, Hashable {
        /// With the row.
        case stored
        /// Not at all.
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
                        defaultSQL: try row.isNull(at: 4) ? nil : row.text(at: 4),
                        keyPlace: keyPlace == 0 ? nil : keyPlace,
                        generated: hidden == 2 ? .virtual : hidden == 3 ? .stored : nil,
                        isHidden: hidden == 1))
            }
        }
        return columns
    }

    /// Some versions of the engine take the first words of a generated column for its type's.
    private static func withoutGenerated(_ type: String, _ hidden: Int64) -> String {
        let suffix = " GENERATED ALWAYS"
        return hidden > 1 && type.uppercased().hasSuffix(suffix) ? String(type.dropLast(suffix.count)) : type
    }
}
