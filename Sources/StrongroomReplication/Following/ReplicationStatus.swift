public import Strongroom

/// How far a replica has followed its database.
public struct ReplicationStatus: Sendable {
    /// What the replication does.
    public enum Phase: Sendable, Hashable {
        /// It compares the replica with the file, and has not shipped a commit yet.
        case starting
        /// It ships commits as they are made.
        case following
        /// Another process of this host has the database open, too, and ships the commits of both.
        case standby
        /// The object store fails, or the file has a damaged page, or the replica is missing; it is tried again.
        case failing
        /// Another store or host has taken over the replica: nothing is shipped any more, and the store refuses writes.
        case lost
        /// The store is closed.
        case ended
    }

    /// What the replication does.
    public internal(set) var phase = Phase.starting
    /// The number of the newest change in the replica; 0 for none.
    public internal(set) var change: UInt64 = 0
    /// The moment up to which every commit is in the replica; nil before the first time.
    public internal(set) var completeUntil: ContinuousClock.Instant?
    /// The number of objects and of bytes that this store has shipped.
    public internal(set) var shipped = (objects: 0, bytes: 0)
    /// The last failure; nil once a later attempt has succeeded.
    public internal(set) var failure: StrongroomError?
}

extension ReplicationStatus {
    mutating func record(_ progress: Shipper.Progress) {
        (change, shipped) = (progress.change, progress.shipped)
    }
}
