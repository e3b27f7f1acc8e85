import Synchronization

/// What a store has done since it was opened.
///
/// ```swift
/// let numbers = store.statistics
/// print("\(numbers.writes) writes in \(numbers.commits) commits")
/// ```
public struct StoreStatistics: Sendable, Hashable {
    /// Reads and streams that have had a reader, those that failed included.
    public var reads = 0
    /// Writes that have had the writer, those that failed and maintenance on demand included.
    public var writes = 0
    /// Transactions of shared writes that have been committed.
    public var commits = 0
    /// The most writes that have shared one.
    public var largestGroup = 0
    /// Reads and writes that had to wait for a connection.
    public var waits = 0
    /// Readers' connections that are open now.
    public var openReaders = 0
}

/// The counters behind ``StoreStatistics``.
final class StoreCounters: Sendable {
    private let reads = Atomic<Int>(0)
    private let writes = Atomic<Int>(0)
    private let commits = Atomic<Int>(0)
    private let largestGroup = Atomic<Int>(0)
    private let waits = Atomic<Int>(0)
    private let openReaders = Atomic<Int>(0)

    func countWork(isReading: Bool) {
        if isReading { reads.add(1, ordering: .relaxed) } else { writes.add(1, ordering: .relaxed) }
    }

    func countCommit(ofGroup size: Int) {
        commits.add(1, ordering: .relaxed)
        largestGroup.max(size, ordering: .relaxed)
    }

    func countWait() {
        waits.add(1, ordering: .relaxed)
    }

    func countOpenReaders(_ change: Int) {
        openReaders.add(change, ordering: .relaxed)
    }

    var statistics: StoreStatistics {
        StoreStatistics(
            reads: reads.load(ordering: .relaxed),
            writes: writes.load(ordering: .relaxed),
            commits: commits.load(ordering: .relaxed),
            largestGroup: largestGroup.load(ordering: .relaxed),
            waits: waits.load(ordering: .relaxed),
            openReaders: openReaders.load(ordering: .relaxed)
        )
    }
}
