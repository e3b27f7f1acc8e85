/// The open stores of a registry, and its counts since it was created.
///
/// ```swift
/// let numbers = stores.statistics
/// print("\(numbers.lent) of \(numbers.lent + numbers.idle) open stores are in use")
/// ```
public struct StoresStatistics: Sendable, Hashable {
    /// Lent stores in use.
    public var lent = 0
    /// Open stores without a user, which are closed after an idle time.
    public var idle = 0
    /// Stores that are being opened for borrowers.
    public var opening = 0
    /// Stores that are being closed.
    public var closing = 0
    /// Requests that wait for one of the limits.
    public var waiting = 0
    /// Requests since the registry was created.
    public var loans = 0
    /// Requests that had to open their store.
    public var openings = 0
    /// Requests that had to wait, for a limit or until their store was closed.
    public var waits = 0
    /// Idle stores that were closed for others.
    public var closedForOthers = 0
    /// Stores that were closed after their idle time.
    public var closedWhenIdle = 0
    /// The threads of all stores of the registry.
    public var threads = 0
    /// The engine's memory, in bytes, of all stores of the process.
    public var memory = 0
}

extension Stores {
    /// The open stores of the registry, and its counts since it was created.
    public var statistics: StoresStatistics {
        let (numbers, counts) = state.withLock { ($0.registry.statistics, $0.registry.counts) }
        return StoresStatistics(
            lent: numbers.lent, idle: numbers.idle, opening: numbers.opening, closing: numbers.closing,
            waiting: numbers.waiting, loans: counts.loans, openings: counts.openings, waits: counts.waits,
            closedForOthers: counts.closedForOthers, closedWhenIdle: counts.closedWhenIdle,
            threads: resources.withLock { $0.executor }.threadCount, memory: EngineMemory.used)
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

    fileprivate mutating func add(_ store: StoreStatistics) {
        busyRetries += store.busyRetries
        busyWait += store.busyWait
        pageCacheHits += store.pageCacheHits
        pageCacheMisses += store.pageCacheMisses
    }
}

/// The counters of a registry's stores, by family.
///
/// The counters of an open store are only read here, so that its operations count for their store alone.
final class FamilyCounters: Sendable {
    private struct Member {
        let counters: StoreCounters
        /// The path of the WAL; nil for a store in memory.
        let log: String?
    }

    private struct Family {
        var members: [ObjectIdentifier: Member] = [:]
        /// The sums of the stores that have been closed.
        var closed = FamilyStatistics()
    }

    private let families = Locked<[String: Family]>([:])

    func add(_ counters: StoreCounters, log: String?, to family: String) {
        families.withLock {
            $0[family, default: Family()].members[ObjectIdentifier(counters)] = Member(counters: counters, log: log)
        }
    }

    /// Keeps the sums of a store that has been closed.
    func remove(_ counters: StoreCounters, from family: String) {
        families.withLock {
            guard $0[family]?.members.removeValue(forKey: ObjectIdentifier(counters)) != nil else { return }
            $0[family]?.closed.add(counters.statistics)
        }
    }

    var statistics: [String: FamilyStatistics] {
        let (numbers, logs) = families.withLock { families in
            (
                families.mapValues { family in
                    family.members.values.reduce(into: family.closed) {
                        $0.openStores += 1
                        $0.add($1.counters.statistics)
                    }
                },
                families.mapValues { $0.members.values.compactMap(\.log) }
            )
        }
        // The lock is not held meanwhile: a store that opens or closes does not wait for the disk.
        let sizes = logs.mapValues { $0.map { (try? FileStatus.at($0)?.size) ?? 0 } }
        var statistics = numbers
        for (family, sizes) in sizes {
            statistics[family]?.logBytes = sizes.reduce(0, +)
            statistics[family]?.largestLogBytes = sizes.max() ?? 0
        }
        return statistics
    }
}

extension Stores {
    /// What the stores of each family have required, by target; of families of which a store has been opened. Requests
    /// the size of the WAL of each open store from the file system.
    public var familyStatistics: [String: FamilyStatistics] { resources.withLock { $0.families }.statistics }
}
