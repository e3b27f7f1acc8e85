public import Foundation

/// A backup of a database that was made before a migration. It is next to the file, with the key that the file had
/// then.
public struct MigrationBackup: Sendable, Equatable {
    /// The number of the backup; the newest has the largest.
    public let number: Int
    /// The schema version of the file, truncated if it is long. Nil for a file without a migration history.
    public let version: String?
    /// When it was made.
    public let date: Date
    /// Its size in bytes.
    public let size: Int64
    /// Its path.
    public let path: String
}
