/// How far the write-ahead log was checkpointed.
///
/// What is left in the WAL is as durable as the rest, and a later checkpoint copies it. Until then the database
/// consists of both files: the file itself and the one whose name ends in `-wal`.
public struct CheckpointReport: Sendable {
    /// Whether the whole WAL has been checkpointed.
    public let isComplete: Bool
    /// The pages that are only in the WAL, because a reader still needs the older ones, or because the checkpoint
    /// failed.
    public let pagesLeft: Int
    /// Why the checkpoint failed, such as with `diskFull`, where closing a store succeeds without it; nil if it did not
    /// fail.
    public var failure: StrongroomError?
}
