/// Receives each operation of a registry's stores when it has ended; for metrics and traces.
///
/// ```swift
/// stores.operationObserver = metrics
/// ```
public protocol OperationObserver: Sendable {
    /// Called after each operation; its caller waits for that. A write that called ``WriteTransaction/rollBack()`` has
    /// not failed.
    ///
    /// - Parameter operation: What was done, and how long it took.
    func operationEnded(_ operation: FinishedOperation)
}

/// An operation of a store that has ended.
public struct FinishedOperation: Sendable {
    /// What was done.
    public enum Kind: String, Sendable, Hashable {
        /// The store was opened, with rotation and migration if they were due.
        case open
        /// A read. The time of a record stream is only that until it has a reader.
        case read
        /// A write that may share its transaction; it ends with the commit.
        case write
        /// A write in a transaction of its own, or maintenance on demand.
        case ungroupedWrite
        /// Work that needed exclusive access, such as a rotation. What fails in it is not reported here.
        case exclusive
    }

    /// The database's name.
    public let name: DatabaseName
    public let kind: Kind
    /// The label that the caller gave.
    public let label: String?
    /// When it was requested.
    public let start: ContinuousClock.Instant
    /// How long it waited for a connection; the whole time if it never got one.
    public let wait: Duration
    /// How long it took in all, with the wait.
    public let duration: Duration
    /// Why it failed; nil if it did not.
    public let error: (any Error)?

    /// `ok`, the code of the ``StrongroomError`` that it failed with, `cancelled`, or `failed` for another error.
    public var outcome: String {
        switch error {
        case nil: "ok"
        case let error as StrongroomError: "\(error.code)"
        case is CancellationError: "cancelled"
        default: "failed"
        }
    }
}
