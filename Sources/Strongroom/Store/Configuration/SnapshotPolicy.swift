/// Whether a copy of a file is kept from before it is migrated.
public enum SnapshotPolicy: Sendable, Hashable {
    /// None is made.
    case none
    /// Before the first step of a migration a copy is made beside the file, encrypted with the same key, and the newest
    /// ones are kept: at least one. `Stores.restore` puts one back.
    case beforeMigrating(keep: Int)
}
