/// How far the write-ahead log was brought into the file.
///
/// What is left in it is as safe as the rest, and a later checkpoint brings it in. But the file alone, without the one beside it that ends in
/// `-wal`, is not the whole database then.
public struct CheckpointReport: Sendable, Hashable {
    /// Whether the whole log is in the file.
    public let isComplete: Bool
    /// The pages that are only in the log, since somebody still reads from before them.
    public let pagesLeft: Int
}
