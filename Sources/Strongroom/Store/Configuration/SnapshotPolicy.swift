/// Whether a copy of a file is kept before it is migrated.
public enum SnapshotPolicy: Sendable, Hashable {
    /// No copy is made.
    case none
    /// Before the first step of a migration, a copy is made beside the file, encrypted with the same key, and the
    /// newest copies are kept: at least one. `Stores.restore` restores one.
    case beforeMigrating(keep: Int)
}
