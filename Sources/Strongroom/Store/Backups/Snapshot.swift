public import Foundation

/// A copy of a database from before a migration, which lies beside the file and has the key that the file had then.
public struct Snapshot: Sendable, Equatable {
    /// Counts the snapshots of a file; the newest has the largest number.
    public let number: Int
    /// The version that the file had; of a long one the beginning. Nil for a file without a history.
    public let version: String?
    /// When it was made.
    public let date: Date
    /// Its size in bytes.
    public let size: Int64
    /// Where it lies.
    public let path: String
}
