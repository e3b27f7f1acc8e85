public import Foundation

/// The state of a database to which a replica is restored.
public enum RestorePoint: Sendable, Hashable {
    /// The newest commit in the replica.
    case newest
    /// The last commit that was shipped before a moment, or at it, by the clock of the host that shipped it.
    case time(Date)
    /// The commit that a change ended, as ``ReplicationStatus/change`` counts.
    case change(UInt64)
}
