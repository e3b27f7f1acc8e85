#if ConfigReader
public import Configuration

/// Reads settings from a `ConfigReader`, and refuses values that a setting cannot have.
struct SettingReader {
    private let reader: ConfigReader
    /// The part of the keys that the settings have in common.
    private let prefix: ConfigKey

    init(_ reader: ConfigReader, _ prefix: ConfigKey) {
        self.reader = reader
        self.prefix = prefix
    }

    /// What a value may be. 2,147,483,647 ms are 24 days.
    static let milliseconds = 0...Int(Int32.max)

    private func key(_ name: String) -> ConfigKey {
        ConfigKey(prefix.components + [name], context: prefix.context)
    }

    /// - Parameter allowed: What the value may be, for the message of an error.
    private func value<T>(
        _ name: String, _ allowed: String, _ fetch: (ConfigKey) async throws -> T?
    ) async throws -> T? {
        do {
            return try await fetch(key(name))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            var failure = refusal(name, allowed)
            failure.underlying = error
            throw failure
        }
    }

    func refusal(_ name: String, _ allowed: String) -> StrongroomError {
        StrongroomError(
            .invalidSetting, "The configuration's value \"\(key(name))\" cannot be used; it must be \(allowed).")
    }

    func bool(_ name: String) async throws -> Bool? {
        try await value(name, "true or false") { try await reader.fetchBool(forKey: $0) }
    }

    func integer(_ name: String, _ range: ClosedRange<Int>, _ unit: String = "") async throws -> Int? {
        let isLimited = range.upperBound != Int.max
        let allowed =
            "a whole number\(unit.isEmpty ? "" : " of \(unit)") "
            + (isLimited ? "from \(range.lowerBound) to \(range.upperBound)" : "of at least \(range.lowerBound)")
        guard let number = try await value(name, allowed, { try await reader.fetchInt(forKey: $0) }) else { return nil }
        guard range.contains(number) else { throw refusal(name, allowed) }
        return number
    }

    /// Reads a duration; its key says that it is in milliseconds.
    func duration(_ name: String, atLeast least: Int = 0) async throws -> Duration? {
        let range = least...Self.milliseconds.upperBound
        return try await integer("\(name)Milliseconds", range, "milliseconds").map { .milliseconds($0) }
    }

    func choice<T>(_ name: String, _ choices: KeyValuePairs<String, T>) async throws -> T? {
        let allowed = "one of \(choices.map { "\"\($0.key)\"" }.joined(separator: ", "))"
        guard let text = try await value(name, allowed, { try await reader.fetchString(forKey: $0) }) else {
            return nil
        }
        guard let choice = choices.first(where: { $0.key == text }) else { throw refusal(name, allowed) }
        return choice.value
    }
}

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
    /// | `rotation` | ``rotation`` | `onOpen`, `after`, `manual`, `never` |
    /// | `rotationDays` | the days of `after`, which have no default | 1 to 36,500 |
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
        rotation = try await Self.rotation(values, rotation)
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

    private static func rotation(_ values: SettingReader, _ defaults: RotationPolicy) async throws -> RotationPolicy {
        let days = try await values.integer("rotationDays", 1...36_500)
        let names: KeyValuePairs = ["onOpen": "onOpen", "after": "after", "manual": "manual", "never": "never"]
        let name = try await values.choice("rotation", names)
        switch (name, days, defaults) {
        case ("after", let days?, _), (nil, let days?, .after): return .after(days: days)
        case (_, .some, _): throw values.refusal("rotation", "\"after\" if there are days")
        case ("after", nil, .after), (nil, nil, _): return defaults
        case ("after", nil, _):
            throw values.refusal("rotationDays", "given if \"rotation\" is \"after\"")
        case ("onOpen", nil, _): return .onOpen
        case ("manual", nil, _): return .manual
        default: return .never
        }
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
