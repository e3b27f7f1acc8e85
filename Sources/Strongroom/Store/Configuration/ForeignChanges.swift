/// How the observers of a store are notified of commits that other processes make to its file.
///
/// A commit counts for every observed table, since the tables that it has written are not known; so does a restart of
/// the WAL. ``ObservedValues`` does not deliver a value that has not changed.
///
/// ```swift
/// StoreSettings(foreignChanges: .polled(every: .milliseconds(20)))
/// ```
public enum ForeignChanges: Sendable, Equatable {
    /// By the system's watch for files, which costs nothing while nothing is written. Where the system has none, or
    /// reports only changes of its own kernel, as for network file systems and FUSE, by polling every 50 ms while the
    /// store is observed; ``StoreStatistics/isPolling`` reports it, and the logger gets it once at `notice`.
    case automatic
    /// By polling while the store is observed; at least 1 ms.
    case polled(every: Duration)
    /// Not at all: observers are notified of the store's own commits only.
    case ignored
}
