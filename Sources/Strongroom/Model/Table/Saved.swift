/// What a write did with a record.
public enum Saved: Sendable, Hashable {
    /// The row is new.
    case inserted
    /// The row existed and was updated.
    case updated
    /// The record was marked by ``RecordHooks/deletesOnSave(_:)``, and its row was deleted.
    case deleted
}
