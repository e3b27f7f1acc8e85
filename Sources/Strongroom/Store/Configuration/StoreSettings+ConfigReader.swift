#if ConfigReader
public import Configuration

extension StoreSettings {
    /// Reads settings from values of swift-configuration; a setting without a value keeps its default.
    ///
    /// Requires the package trait `ConfigReader`.
    ///
    /// ```swift
    /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
    /// let settings = try await StoreSettings(config, forKey: "inventory.store")
    /// ```
    ///
    /// Each key consists of `key` and one of these, such as `inventory.store.busyTimeoutMilliseconds`, which is
    /// `INVENTORY_STORE_BUSY_TIMEOUT_MILLISECONDS` in the environment. A value under any other key is ignored.
    ///
    /// | key | setting | allowed values |
    /// |---|---|---|
    /// | `storage` | ``storage`` | `disk`, `memory` |
    /// | `isReadOnly` | ``isReadOnly`` | `true`, `false` |
    /// | `readers` | ``readers`` | 1 to 1,024 |
    /// | `busyTimeoutMilliseconds` | ``busyTimeout`` | 0 to 2,147,483,647 ms |
    /// | `openTimeoutMilliseconds` | ``openTimeout`` | 0 to 2,147,483,647 ms |
    /// | `rotation` | ``rotation`` | `onOpen`, `manual`, `never` |
    /// | `migration` | ``migration`` | `onOpen`, `manual` |
    /// | `migrationBackups` | ``migrationBackups`` | the number of backups that are kept, 0 to 1,000; 0 for none |
    /// | `groupSize` | ``groupSize`` | 1 to 10,000 writes |
    /// | `groupDurationMilliseconds` | ``groupDuration`` | 0 to 2,147,483,647 ms |
    /// | `readerIdleTimeMilliseconds` | ``readerIdleTime`` | 10 to 2,147,483,647 ms |
    /// | `pageCacheBytes` | ``pageCache`` | 131,072 to 1,073,741,824 bytes |
    /// | `slowStatementMilliseconds` | ``slowStatement`` | 0 to 2,147,483,647 ms |
    /// | `recursiveTriggers` | ``recursiveTriggers`` | `true`, `false` |
    /// | `foreignChanges` | ``foreignChanges`` | `automatic`, `polled`, `ignored` |
    /// | `pollingIntervalMilliseconds` | the interval of `polled`, which has no default | 1 to 2,147,483,647 ms |
    ///
    /// - Parameters:
    ///   - reader: The reader of the values; its providers are queried once.
    ///   - key: The part of the keys that the settings have in common.
    ///   - defaults: The settings for which there is no value.
    /// - Throws: ``StrongroomError`` with `invalidSetting` if a value is of another type or is not allowed: the message
    ///   has the key and what is allowed, not the value; also if a provider fails, in which case `underlying` is its
    ///   error. `CancellationError` if the task is cancelled.
    public init(
        _ reader: ConfigReader, forKey key: ConfigKey, defaults: StoreSettings = StoreSettings()
    ) async throws {
        let values = SettingReader(reader, key)
        self = defaults
        storage = try await values.choice("storage", ["disk": .disk, "memory": .memory]) ?? storage
        isReadOnly = try await values.bool("isReadOnly") ?? isReadOnly
        readers = try await values.integer("readers", 1...1_024) ?? readers
        busyTimeout = try await values.duration("busyTimeout") ?? busyTimeout
        openTimeout = try await values.duration("openTimeout") ?? openTimeout
        rotation =
            try await values.choice("rotation", ["onOpen": .onOpen, "manual": .manual, "never": .never]) ?? rotation
        migration = try await values.choice("migration", ["onOpen": .onOpen, "manual": .manual]) ?? migration
        if let count = try await values.integer("migrationBackups", 0...1_000) {
            migrationBackups = count == 0 ? .none : .newest(count)
        }
        groupSize = try await values.integer("groupSize", 1...10_000) ?? groupSize
        groupDuration = try await values.duration("groupDuration") ?? groupDuration
        readerIdleTime = try await values.duration("readerIdleTime", atLeast: 10) ?? readerIdleTime
        pageCache = try await values.integer("pageCacheBytes", (128 << 10)...(1 << 30)) ?? pageCache
        slowStatement = try await values.duration("slowStatement") ?? slowStatement
        recursiveTriggers = try await values.bool("recursiveTriggers") ?? recursiveTriggers
        foreignChanges = try await Self.foreignChanges(values, foreignChanges)
    }

    private static func foreignChanges(
        _ values: SettingReader, _ defaults: ForeignChanges
    ) async throws -> ForeignChanges {
        let interval = try await values.duration("pollingInterval", atLeast: 1)
        let name = try await values.choice(
            "foreignChanges", ["automatic": "automatic", "polled": "polled", "ignored": "ignored"])
        let (isPolled, known): (Bool, Duration?) =
            if case .polled(let every) = defaults { (true, every) } else { (false, nil) }
        guard interval == nil || name == "polled" || name == nil && isPolled else {
            throw values.refusal("foreignChanges", "\"polled\" if there is an interval")
        }
        switch name {
        case "automatic": return .automatic
        case "ignored": return .ignored
        case nil where interval == nil: return defaults
        default:
            guard let interval = interval ?? known else {
                throw values.refusal("pollingIntervalMilliseconds", "given if \"foreignChanges\" is \"polled\"")
            }
            return .polled(every: interval)
        }
    }
}
#endif
