#if ConfigReader
import Configuration
import Strongroom
import Testing

@Suite("Settings and limits from a configuration")
struct SettingSourceTests {
    private func settings(
        _ values: [String: ConfigContent], defaults: StoreSettings = StoreSettings()
    ) async throws -> StoreSettings {
        try await StoreSettings(reader(values), forKey: "clinic.store", defaults: defaults)
    }

    private func reader(_ values: [String: ConfigContent]) -> ConfigReader {
        var all: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, content) in values {
            all[AbsoluteConfigKey(["clinic", "store", name])] = ConfigValue(content, isSecret: false)
        }
        return ConfigReader(provider: InMemoryProvider(values: all))
    }

    @Test func `what has no value keeps its default`() async throws {
        #expect(try await settings([:]) == StoreSettings())
        let own = StoreSettings(readers: 7, slowStatement: .seconds(1), foreignChanges: .polled(every: .seconds(2)))
        #expect(try await settings([:], defaults: own) == own)
        #expect(try await LendingLimits(reader([:]), forKey: "clinic.store") == LendingLimits())
    }

    @Test func `every setting has a key`() async throws {
        let read = try await settings([
            "storage": "memory", "isReadOnly": true, "readers": 3, "busyTimeoutMilliseconds": 1_500,
            "openTimeoutMilliseconds": 0, "rotation": "never", "migration": "manual", "migrationBackups": 2,
            "groupSize": 17, "groupDurationMilliseconds": 5, "readerIdleTimeMilliseconds": 250,
            "pageCacheBytes": 1_048_576,
            "slowStatementMilliseconds": 40, "recursiveTriggers": true, "foreignChanges": "polled",
            "pollingIntervalMilliseconds": 30,
        ])
        let expected = StoreSettings(
            storage: .memory, isReadOnly: true, readers: 3, busyTimeout: .milliseconds(1_500), openTimeout: .zero,
            rotation: .never, migration: .manual, migrationBackups: .newest(2), groupSize: 17,
            groupDuration: .milliseconds(5), readerIdleTime: .milliseconds(250), pageCache: 1 << 20,
            slowStatement: .milliseconds(40), recursiveTriggers: true,
            foreignChanges: .polled(every: .milliseconds(30)))
        #expect(read == expected)
        // Every one is read, and none of them had its default.
        let names = Mirror(reflecting: StoreSettings()).children.compactMap(\.label)
        #expect(names.count == 15)
        let (standard, changed) = (Mirror(reflecting: StoreSettings()), Mirror(reflecting: read))
        for (one, other) in zip(standard.children, changed.children) {
            #expect("\(one.value)" != "\(other.value)", "\(one.label ?? "")")
        }
    }

    @Test(arguments: [
        ("storage", "disk"), ("rotation", "onOpen"), ("rotation", "manual"), ("migration", "onOpen"),
        ("foreignChanges", "automatic"), ("foreignChanges", "ignored"),
    ])
    func `every other choice is taken`(name: String, choice: String) async throws {
        let other = StoreSettings(
            storage: .memory, rotation: .never, migration: .manual, foreignChanges: .polled(every: .seconds(1)))
        let read = try await settings([name: .string(choice)], defaults: other)
        let taken = [
            "storage": "\(read.storage)", "rotation": "\(read.rotation)", "migration": "\(read.migration)",
            "foreignChanges": "\(read.foreignChanges)",
        ]
        #expect(taken[name] == choice)
        #expect(try await settings(["migrationBackups": 0]).migrationBackups == .none)
    }

    static let refused: [(String, ConfigContent, String)] = [
        ("storage", "tape", "one of \"disk\", \"memory\""),
        ("rotation", "sometimes", "one of \"onOpen\", \"after\", \"manual\", \"never\""),
        ("rotationDays", 0, "a whole number from 1 to 36500"),
        ("migration", "", "one of \"onOpen\", \"manual\""),
        ("foreignChanges", "Polled", "one of \"automatic\", \"polled\", \"ignored\""),
        ("foreignChanges", 1, "one of \"automatic\", \"polled\", \"ignored\""),
        ("isReadOnly", "perhaps", "true or false"), ("recursiveTriggers", 7, "true or false"),
        ("readers", 0, "a whole number from 1 to 1024"), ("readers", 1_025, "a whole number from 1 to 1024"),
        ("readers", "many", "a whole number from 1 to 1024"),
        ("groupSize", 10_001, "a whole number from 1 to 10000"),
        ("migrationBackups", -1, "a whole number from 0 to 1000"),
        ("busyTimeoutMilliseconds", -1, "a whole number of milliseconds from 0 to 2147483647"),
        ("openTimeoutMilliseconds", 2_147_483_648, "a whole number of milliseconds from 0 to 2147483647"),
        ("groupDurationMilliseconds", "20 ms", "a whole number of milliseconds from 0 to 2147483647"),
        ("readerIdleTimeMilliseconds", 9, "a whole number of milliseconds from 10 to 2147483647"),
        ("pageCacheBytes", 131_071, "a whole number from 131072 to 1073741824"),
        ("slowStatementMilliseconds", 1.5, "a whole number of milliseconds from 0 to 2147483647"),
        ("pollingIntervalMilliseconds", 0, "a whole number of milliseconds from 1 to 2147483647"),
    ]

    @Test(arguments: refused)
    func `a value that is not allowed is refused with its key and what is allowed`(
        name: String, value: ConfigContent, allowed: String
    ) async throws {
        let error = try await expectFailure(.invalidSetting) { try await settings([name: value]) }
        #expect(error.message.contains("\"clinic.store.\(name)\""))
        #expect(error.message.contains(" must be \(allowed)."))
        #expect(!error.message.contains("perhaps") && !error.message.contains("sometimes"))
    }

    @Test func `days belong to a rotation after them`() async throws {
        let after = StoreSettings(rotation: .after(days: 30))
        #expect(try await settings(["rotation": "after", "rotationDays": 90]).rotation == .after(days: 90))
        #expect(try await settings(["rotationDays": 90], defaults: after).rotation == .after(days: 90))
        #expect(try await settings(["rotation": "after"], defaults: after).rotation == .after(days: 30))
        #expect(try await settings(["rotation": "onOpen"], defaults: after).rotation == .onOpen)
        let alone = try await expectFailure(.invalidSetting) { try await settings(["rotationDays": 90]) }
        #expect(alone.message.contains("clinic.store.rotation\""))
        try await expectFailure(.invalidSetting) {
            try await settings(["rotation": "manual", "rotationDays": 90], defaults: after)
        }
        let missing = try await expectFailure(.invalidSetting) { try await settings(["rotation": "after"]) }
        #expect(missing.message.contains("clinic.store.rotationDays"))
    }

    @Test func `an interval belongs to polling`() async throws {
        let alone = try await expectFailure(.invalidSetting) { try await settings(["pollingIntervalMilliseconds": 5]) }
        #expect(alone.message.contains("clinic.store.foreignChanges"))
        try await expectFailure(.invalidSetting) {
            try await settings(["foreignChanges": "automatic", "pollingIntervalMilliseconds": 5])
        }
        let missing = try await expectFailure(.invalidSetting) { try await settings(["foreignChanges": "polled"]) }
        #expect(missing.message.contains("clinic.store.pollingIntervalMilliseconds"))
        // What has no value is as in the defaults.
        let polled = StoreSettings(foreignChanges: .polled(every: .seconds(1)))
        for (values, interval) in [
            (["foreignChanges": "polled"], 1_000), (["pollingIntervalMilliseconds": 5], 5), ([:], 1_000),
        ] as [([String: ConfigContent], Int)] {
            #expect(
                try await settings(values, defaults: polled).foreignChanges == .polled(every: .milliseconds(interval)))
        }
    }

    @Test func `every limit has a key, and a lower bound`() async throws {
        let read = try await LendingLimits(
            reader([
                "openStores": 500, "openings": 9, "idleTimeMilliseconds": 300_000, "memoryBytes": 1_000_000,
                "descriptors": 900,
            ]), forKey: "clinic.store")
        let expected = LendingLimits(
            openStores: 500, openings: 9, idleTime: .seconds(300), memory: 1_000_000, descriptors: 900)
        #expect(read == expected)
        for name in ["openStores", "openings", "memoryBytes", "descriptors"] {
            try await expectFailure(.invalidSetting, saying: "clinic.store.\(name)", "of at least 1") {
                try await LendingLimits(reader([name: 0]), forKey: "clinic.store")
            }
        }
    }

    @Test func `text of the environment is taken`() async throws {
        let reader = ConfigReader(
            provider: EnvironmentVariablesProvider(environmentVariables: [
                "CLINIC_STORE_READERS": "4", "CLINIC_STORE_IS_READ_ONLY": "true",
                "CLINIC_STORE_BUSY_TIMEOUT_MILLISECONDS": "250",
            ]))
        let read = try await StoreSettings(reader, forKey: "clinic.store")
        #expect(read == StoreSettings(isReadOnly: true, readers: 4, busyTimeout: .milliseconds(250)))
    }
}
#endif
