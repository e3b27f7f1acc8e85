/// How far the write-ahead log was checkpointed.
///
/// What is left in it is as safe as the rest, and a later checkpoint brings it in. But the file alone, without the one
/// beside it that ends in `-wal`, is not the whole database then.
public struct CheckpointReport: Sendable {
    /// Whether the whole log is in the file.
    public let isComplete: Bool
    /// The pages that are only in the WAL, since a reader still needs what was before them, or the checkpoint failed.
    public let pagesLeft: Int
    /// Why the checkpoint failed, such as with `diskFull`, where closing a store goes on without it; nil when it did
    /// not fail.
    public var failure: StrongroomError?
}
