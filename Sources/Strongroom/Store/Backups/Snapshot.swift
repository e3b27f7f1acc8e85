public import Foundation

/// A copy of a database from before a migration, kept beside the file, with the key that the file had then.
public struct Snapshot: Sendable, Equatable {
    /// The number of the snapshot; the newest has the largest.
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
