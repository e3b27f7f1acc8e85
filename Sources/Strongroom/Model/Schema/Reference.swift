/// A foreign key: the row of another table, or of the same one, that a column's value points to.
///
/// ```swift
/// let author = Column<Int64>("author", references: Reference("person", onDelete: .cascade))
/// ```
///
/// See SQLite's documentation, "SQLite Foreign Key Support" (sqlite.org/foreignkeys.html).
public struct Reference: Sendable, Hashable {
    /// The table that is pointed to.
    public let table: String
    /// The column of that table, unique there; nil for its primary key.
    public let column: String?
    /// What happens to the rows that point to a row when it is deleted.
    public let onDelete: ReferenceAction
    /// What happens to the rows that point to a row when its key changes.
    public let onUpdate: ReferenceAction
    /// Whether the reference is tested when the transaction commits, and not after each statement.
    public let isDeferred: Bool

    /// Describes a reference.
    ///
    /// - Parameters:
    ///   - table: The table that is pointed to.
    ///   - column: The column of that table, which must be unique; nil for its primary key.
    ///   - onDelete: What happens to the rows that point to a row when it is deleted.
    ///   - onUpdate: What happens to them when its key changes.
    ///   - deferred: Whether the reference is tested when the transaction commits.
    public init(
        _ table: String,
        column: String? = nil,
        onDelete: ReferenceAction = .noAction,
        onUpdate: ReferenceAction = .noAction,
        deferred: Bool = false
    ) {
        self.table = table
        self.column = column
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        isDeferred = deferred
    }

    func sql() throws -> String {
        try Identifier.check(table, "table")
        var sql = " REFERENCES \(Identifier.quote(table))"
        if let column {
            try Identifier.check(column, "column")
            sql += " (\(Identifier.quote(column)))"
        }
        if onDelete != .noAction { sql += " ON DELETE \(onDelete.rawValue)" }
        if onUpdate != .noAction { sql += " ON UPDATE \(onUpdate.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}
