/// A foreign key: the row of another table, or of the same one, that a column's value references.
///
/// ```swift
/// let author = Column<Int64>("author", references: Reference("person", onDelete: .cascade))
/// ```
///
/// See SQLite's documentation, "SQLite Foreign Key Support" (sqlite.org/foreignkeys.html).
public struct Reference: Sendable, Hashable {
    /// The referenced table.
    public let table: String
    /// The referenced column, which must be unique; nil for the table's primary key.
    public let column: String?
    /// The action for referencing rows when a row is deleted.
    public let onDelete: ReferenceAction
    /// The action for referencing rows when a row's key changes.
    public let onUpdate: ReferenceAction
    /// Whether the constraint is checked when the transaction commits instead of after each statement.
    public let isDeferred: Bool

    /// Declares a reference.
    ///
    /// - Parameters:
    ///   - table: The referenced table.
    ///   - column: The referenced column, which must be unique; nil for the table's primary key.
    ///   - onDelete: The action for referencing rows when a row is deleted.
    ///   - onUpdate: The action for referencing rows when a row's key changes.
    ///   - deferred: Whether the constraint is checked when the transaction commits.
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

/// The action for referencing rows when a row is deleted or its key changes.
public enum ReferenceAction: String, Sendable, Hashable {
    /// The change fails if the constraint is violated when it is checked.
    case noAction = "NO ACTION"
    /// The change fails immediately.
    case restrict = "RESTRICT"
    /// The references are set to NULL.
    case setNull = "SET NULL"
    /// The references are set to the column's default.
    case setDefault = "SET DEFAULT"
    /// The referencing rows are deleted, or get the new key.
    case cascade = "CASCADE"
}
