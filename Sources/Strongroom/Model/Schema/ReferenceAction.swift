/// What happens to the rows that point to a row when it is deleted or its key changes.
public enum ReferenceAction: String, Sendable, Hashable {
    /// The change fails, if the reference still points nowhere when it is tested.
    case noAction = "NO ACTION"
    /// The change fails at once.
    case restrict = "RESTRICT"
    /// They point nowhere: NULL.
    case setNull = "SET NULL"
    /// They get the column's default.
    case setDefault = "SET DEFAULT"
    /// They are deleted, or get the new key.
    case cascade = "CASCADE"
}
