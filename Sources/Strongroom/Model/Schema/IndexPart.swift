/// An indexed column or expression, with its collation and sort order.
public struct IndexPart: Sendable {
    /// The column's name, or nil for an expression.
    public let column: String?
    /// The expression, or the column's quoted name.
    public let sql: SQL
    /// The collating sequence for texts; nil for that of the column.
    public let collation: Collation?
    /// Whether it is sorted in descending order.
    public let isDescending: Bool

    /// A column.
    ///
    /// - Parameters:
    ///   - name: The column's name.
    ///   - collation: The collating sequence for texts; nil for that of the column.
    ///   - descending: Whether to sort in descending order.
    /// - Returns: The part.
    public static func column(_ name: String, collation: Collation? = nil, descending: Bool = false) -> IndexPart {
        IndexPart(column: name, sql: "\(name: name)", collation: collation, isDescending: descending)
    }

    /// A column.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - collation: The collating sequence for texts; nil for that of the column.
    ///   - descending: Whether to sort in descending order.
    /// - Returns: The part.
    public static func column(
        _ column: some SchemaColumn, collation: Collation? = nil, descending: Bool = false
    ) -> IndexPart {
        .column(column.definition.name, collation: collation, descending: descending)
    }

    /// An expression of the row's columns.
    ///
    /// - Parameters:
    ///   - sql: The expression; no bound values. See "Indexes On Expressions" (sqlite.org/expridx.html).
    ///   - collation: The collating sequence for texts.
    ///   - descending: Whether to sort in descending order.
    /// - Returns: The part.
    public static func expression(_ sql: SQL, collation: Collation? = nil, descending: Bool = false) -> IndexPart {
        IndexPart(column: nil, sql: sql, collation: collation, isDescending: descending)
    }

    func sql(index: String) throws -> String {
        if let column { try Identifier.check(column, "column") }
        var text = try sql.literalText("index \"\(index)\"")
        if let collation { text += " COLLATE \(Identifier.quote(collation.name))" }
        return isDescending ? text + " DESC" : text
    }
}
