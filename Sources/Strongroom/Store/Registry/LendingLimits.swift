#if ConfigReader
public import Configuration
#endif
import Foundation

/// How many stores a registry keeps open for borrowers, and for how long.
///
/// ```swift
/// stores.lendingLimits = LendingLimits(openStores: 500, idleTime: .seconds(300))
/// ```
public struct LendingLimits: Sendable, Hashable {
    /// The maximum number of lent stores that are open at the same time, at least 1. At the limit an idle store is
    /// closed, and a few ahead of the next requests; if all are in use, a borrower waits. The store whose
    /// second-to-last use is oldest is closed first, stores used once before all others.
    ///
    /// Stores that were opened with `open` are not counted, nor does the limit apply to stores that are borrowed inside
    /// the closure of another use, or by a configuration while it supplies the keys of another.
    public var openStores: Int {
        didSet { openStores = max(1, openStores) }
    }

    /// The maximum number of stores that are being opened at the same time, at least 1.
    public var openings: Int {
        didSet { openings = max(1, openings) }
    }

    /// How long a returned store stays open, and up to a second longer.
    public var idleTime: Duration

    /// The engine's memory in bytes, of all stores of the process, from which no further store is opened before a
    /// returned one is closed; nil for no limit.
    public var memory: Int?

    /// Half of the memory that the process's cgroup allows, such as its container, in bytes; nil without such a limit.
    /// The other half is for the program: the system kills a process that exceeds the limit.
    public static var defaultMemory: Int? { MemoryLimit().bytes.map { $0 / 2 } }

    /// The number of file descriptors of the process from which no further store is opened before a returned one is
    /// closed. An open store has three, and two for each of its readers; of a reader that was closed because it was
    /// unused the engine keeps one until the store is closed.
    public var descriptors: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - openStores: The maximum number of lent stores that are open at the same time, at least 1.
    ///   - openings: The maximum number of stores that are being opened at the same time, at least 1; nil for two for
    ///     each processor.
    ///   - idleTime: How long a returned store stays open.
    ///   - memory: The engine's memory in bytes, of all stores of the process; nil for no limit. By default
    ///     ``defaultMemory``.
    ///   - descriptors: The number of file descriptors of the process; nil for three quarters of the system's limit.
    public init(
        openStores: Int = 100, openings: Int? = nil, idleTime: Duration = .seconds(60),
        memory: Int? = LendingLimits.defaultMemory, descriptors: Int? = nil
    ) {
        self.openStores = max(1, openStores)
        self.openings = max(1, openings ?? 2 * ProcessInfo.processInfo.activeProcessorCount)
        self.idleTime = idleTime
        self.memory = memory
        self.descriptors = descriptors ?? FileDescriptors.limit / 4 * 3
    }

    /// Whether the process has reached the limit of memory or of descriptors.
    var isExceeded: Bool {
        if let memory, EngineMemory.used >= memory { return true }
        return FileDescriptors.areInUse(descriptors)
    }
}

#if ConfigReader
extension LendingLimits {
    /// Reads limits from values of swift-configuration; a limit without a value keeps its default.
    ///
    /// Requires the package trait `ConfigReader`.
    ///
    /// ```swift
    /// stores.lendingLimits = try await LendingLimits(config, forKey: "clinic.limits")
    /// ```
    ///
    /// Each key consists of `key` and one of these, such as `clinic.limits.openStores`. A value under any other key is
    /// ignored.
    ///
    /// | key | limit | allowed values |
    /// |---|---|---|
    /// | `openStores` | ``openStores`` | at least 1 |
    /// | `openings` | ``openings`` | at least 1 |
    /// | `idleTimeMilliseconds` | ``idleTime`` | 0 to 2,147,483,647 ms |
    /// | `memoryBytes` | ``memory`` | at least 1 byte |
    /// | `descriptors` | ``descriptors`` | at least 1 |
    ///
    /// - Parameters:
    ///   - reader: The reader of the values; its providers are queried once.
    ///   - key: The part of the keys that the limits have in common.
    ///   - defaults: The limits for which there is no value.
    /// - Throws: As ``StoreSettings/init(_:forKey:defaults:)``.
    public init(
        _ reader: ConfigReader, forKey key: ConfigKey, defaults: LendingLimits = LendingLimits()
    ) async throws {
        let values = SettingReader(reader, key)
        self = defaults
        openStores = try await values.integer("openStores", 1...Int.max) ?? openStores
        openings = try await values.integer("openings", 1...Int.max) ?? openings
        idleTime = try await values.duration("idleTime") ?? idleTime
        memory = try await values.integer("memoryBytes", 1...Int.max, "bytes") ?? memory
        descriptors = try await values.integer("descriptors", 1...Int.max) ?? descriptors
    }
}
#endif
