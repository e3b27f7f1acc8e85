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
    /// How often a lock of another connection, most often another process's, was asked for again.
    public var busyRetries = 0
    /// Statements that were found prepared by an earlier use.
    public var statementsReused = 0
    /// Statements that had to be prepared.
    public var statementsPrepared = 0
    /// Pages that were found in memory, deciphered.
    public var pageCacheHits = 0
    /// Pages that had to be read and deciphered.
    public var pageCacheMisses = 0
}

/// The counters behind ``StoreStatistics``.
final class StoreCounters: Sendable {
    private let reads = Atomic<Int>(0)
    private let writes = Atomic<Int>(0)
    private let commits = Atomic<Int>(0)
    private let largestGroup = Atomic<Int>(0)
    private let waits = Atomic<Int>(0)
    private let openReaders = Atomic<Int>(0)
    private let busyRetries = Atomic<Int>(0)
    private let statements = Atomic<Int>(0)
    private let statementsPrepared = Atomic<Int>(0)
    private let pageCacheHits = Atomic<Int>(0)
    private let pageCacheMisses = Atomic<Int>(0)

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

    /// Adds what a connection has asked of the engine.
    func count(_ use: EngineUse) {
        add(use.busyRetries, to: busyRetries)
        // In this order: what is prepared is counted among all first.
        add(use.statements, to: statements)
        add(use.statementsPrepared, to: statementsPrepared)
        add(use.pageCacheHits, to: pageCacheHits)
        add(use.pageCacheMisses, to: pageCacheMisses)
    }

    private func add(_ number: Int, to counter: borrowing Atomic<Int>) {
        if number != 0 { counter.add(number, ordering: .releasing) }
    }

    func countOpenReaders(_ change: Int) {
        openReaders.add(change, ordering: .relaxed)
    }

    var statistics: StoreStatistics {
        let prepared = statementsPrepared.load(ordering: .acquiring)
        return StoreStatistics(
            reads: reads.load(ordering: .relaxed),
            writes: writes.load(ordering: .relaxed),
            commits: commits.load(ordering: .relaxed),
            largestGroup: largestGroup.load(ordering: .relaxed),
            waits: waits.load(ordering: .relaxed),
            openReaders: openReaders.load(ordering: .relaxed),
            busyRetries: busyRetries.load(ordering: .relaxed),
            statementsReused: max(0, statements.load(ordering: .relaxed) - prepared),
            statementsPrepared: prepared,
            pageCacheHits: pageCacheHits.load(ordering: .relaxed),
            pageCacheMisses: pageCacheMisses.load(ordering: .relaxed)
        )
    }
}
