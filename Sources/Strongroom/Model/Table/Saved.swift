/// What `save` did with a record.
public enum Saved: Sendable, Hashable {
    /// The row is new.
    case inserted
    /// The row was there, and has the record's values now.
    case updated
    /// The record was marked by ``RecordHooks/deletesOnSave(_:)``, and has no row now.
    case deleted
}
