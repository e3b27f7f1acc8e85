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
        var found: [(name: String, isUnique: Bool, origin: String, isPartial: Bool)] = []
        try withOwnStatement("PRAGMA index_list(\(Identifier.quote(table)))") { statement in
            let row = Row(statement)
            while try statement.step() {
                found.append(
                    (
                        try row.text(at: 1), try row.integer(at: 2) != 0, try row.text(at: 3),
                        try row.integer(at: 4) != 0
                    ))
            }
        }
        return try found.sorted { $0.name < $1.name }.map { index in
            IndexInfo(
                name: index.name, isUnique: index.isUnique, isPartial: index.isPartial, isExplicit: index.origin == "c",
                parts: try indexParts(of: index.name), sql: try schemaText(of: .index, index.name))
        }
    }

    private func indexParts(of index: String) throws -> [IndexInfo.Part] {
        var parts: [IndexInfo.Part] = []
        try withOwnStatement("PRAGMA index_xinfo(\(Identifier.quote(index)))") { statement in
            let row = Row(statement)
            while try statement.step() {
                // The columns after the indexed ones identify the row.
                guard try row.integer(at: 5) == 1 else { continue }
                parts.append(
                    IndexInfo.Part(
                        column: try row.textIfPresent(at: 2),
                        isDescending: try row.integer(at: 3) != 0,
                        collation: Collation(try row.text(at: 4))))
            }
        }
        return parts
    }
}
