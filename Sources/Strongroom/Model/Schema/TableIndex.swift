/// An index on columns or expressions of a table.
///
/// ```swift
/// TableIndex(on: columns.section, columns.name)
/// TableIndex("by_word", on: .expression("lower(word)"), .column("age", descending: true), where: "age > 17")
/// ```
public struct TableIndex: Sendable {
    /// The index's name, or nil for the names of the table and the columns, joined by `_`.
    public let name: String?
    /// The indexed columns and expressions, in order.
    public let parts: [IndexPart]
    /// Whether the values must be unique.
    public let isUnique: Bool
    /// The condition of a partial index; nil for an index of all rows.
    public let condition: SQL?

    /// The names of the indexed columns, in order, without expressions.
    public var columns: [String] { parts.compactMap(\.column) }

    /// Declares an index on columns.
    ///
    /// - Parameters:
    ///   - name: The index's name; nil for the names of the table and the columns, joined by `_`.
    ///   - columns: The columns, in order.
    ///   - unique: Whether the values must be unique.
    ///   - condition: The condition of a partial index, as SQL without bound values; nil for all rows. See "Partial
    ///     Indexes" (sqlite.org/partialindex.html).
    public init(
        _ name: String? = nil,
        on columns: any SchemaColumn...,
        unique: Bool = false,
        where condition: SQL? = nil
    ) {
        self.init(name, parts: columns.map { .column($0.definition.name) }, unique: unique, where: condition)
    }

    /// Declares an index on columns and expressions.
    ///
    /// - Parameters:
    ///   - name: The index's name; required if an expression is indexed.
    ///   - parts: The indexed columns and expressions, in order.
    ///   - unique: Whether the values must be unique.
    ///   - condition: The condition of a partial index, as SQL without bound values; nil for all rows.
    public init(_ name: String? = nil, on parts: IndexPart..., unique: Bool = false, where condition: SQL? = nil) {
        self.init(name, parts: parts, unique: unique, where: condition)
    }

    init(_ name: String?, parts: [IndexPart], unique: Bool, where condition: SQL?) {
        self.name = name
        self.parts = parts
        self.isUnique = unique
        self.condition = condition
    }

    func name(in table: String) -> String {
        name ?? ([table] + columns).joined(separator: "_")
    }

    func sql(table: String, ifNotExists: Bool = false) throws -> String {
        let name = name(in: table)
        try Identifier.check(name, "index")
        guard self.name != nil || parts.allSatisfy({ $0.column != nil }) else {
            throw StrongroomError(
                .invalidDeclaration, "An index on an expression of table \"\(table)\" has no name; set one.")
        }
        let list = try parts.map { try $0.sql(index: name) }.joined(separator: ", ")
        let kind = (isUnique ? "UNIQUE INDEX" : "INDEX") + (ifNotExists ? " IF NOT EXISTS" : "")
        var sql = "CREATE \(kind) \(Identifier.quote(name)) ON \(Identifier.quote(table)) (\(list))"
        if let condition { sql += " WHERE \(try condition.literalText("the condition of index \"\(name)\""))" }
        return sql
    }
}
