/// The statistics of a store since it was opened.
///
/// ```swift
/// let numbers = store.statistics
/// print("\(numbers.writes) writes in \(numbers.commits) commits")
/// ```
public struct StoreStatistics: Sendable, Hashable {
    /// Reads and streams that have acquired a reader, including failed ones.
    public var reads = 0
    /// Writes that have acquired the writer, including failed ones and maintenance on demand.
    public var writes = 0
    /// Committed transactions of shared writes.
    public var commits = 0
    /// The largest number of writes that have shared a transaction.
    public var largestGroup = 0
    /// Reads and writes that had to wait for a connection.
    public var waits = 0
    /// Open connections of readers.
    public var openReaders = 0
    /// Retries after a lock of another connection, usually another process's.
    public var busyRetries = 0
    /// How long statements have waited for such locks.
    public var busyWait = Duration.zero
    /// Statements that were already prepared.
    public var statementsReused = 0
    /// Statements that had to be prepared.
    public var statementsPrepared = 0
    /// Pages found decrypted in the page cache.
    public var pageCacheHits = 0
    /// Pages that had to be read and decrypted.
    public var pageCacheMisses = 0
    /// How often observers were notified of commits of other processes.
    public var foreignChanges = 0
    /// Whether the file is polled for commits of other processes, because the system has no watch for it or the
    /// settings say so; false while the store is not observed. See ``StoreSettings/foreignChanges``.
    public var isPolling = false
}

extension StoreStatistics {
    mutating func count(_ use: EngineUse) {
        busyRetries += use.busyRetries
        busyWait += .milliseconds(use.busyMilliseconds)
        statementsReused += max(0, use.statements - use.statementsPrepared)
        statementsPrepared += use.statementsPrepared
        pageCacheHits += use.pageCacheHits
        pageCacheMisses += use.pageCacheMisses
    }
}

/// What the operations of one family's stores have required since the registry was created, and the WALs of those that
/// are open. What openings and closings require is not counted.
///
/// ```swift
/// for (family, numbers) in stores.familyStatistics { print(family, numbers.openStores, numbers.logBytes) }
/// ```
public struct FamilyStatistics: Sendable, Hashable {
    /// The stores that are open.
    public var openStores = 0
    /// The size of the WALs of the open stores, in bytes.
    public var logBytes: Int64 = 0
    /// The size of the largest of these WALs, in bytes. It grows while something keeps it from being checkpointed, such
    /// as a long read.
    public var largestLogBytes: Int64 = 0
    /// Retries after a lock of another connection, usually another process's.
    public var busyRetries = 0
    /// How long statements have waited for such locks.
    public var busyWait = Duration.zero
    /// Pages found decrypted in the page cache.
    public var pageCacheHits = 0
    /// Pages that had to be read and decrypted.
    public var pageCacheMisses = 0

    mutating func add(_ store: StoreStatistics) {
        busyRetries += store.busyRetries
        busyWait += store.busyWait
        pageCacheHits += store.pageCacheHits
        pageCacheMisses += store.pageCacheMisses
    }
}
