#if ConfigReader
public import Configuration

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
