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
