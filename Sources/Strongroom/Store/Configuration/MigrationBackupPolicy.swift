/// Whether a backup of a file is kept when it is migrated.
public enum MigrationBackupPolicy: Sendable, Hashable {
    /// No backup is made.
    case none
    /// Before the first step of a migration, a backup is made next to the file, encrypted with the same key. That
    /// many of the newest are kept, at least one. ``Stores/restoreMigrationBackup(of:_:)`` restores one.
    case newest(Int)
}
