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
        var statistics = state.withLock { $0.registry.statistics }
        statistics.threads = resources.executor.threadCount
        statistics.memory = EngineMemory.used
        return statistics
    }

    /// What the stores of each family have required, by target; of families of which a store has been opened. Requests
    /// the size of the WAL of each open store from the file system.
    public var familyStatistics: [String: FamilyStatistics] { resources.familyStatistics }
}
