import Strongroom
import StrongroomTesting
import Testing

@Suite("Settings of a store")
struct SettingsTests {
    @Test(arguments: [Duration.seconds(Int64.max), .zero, .seconds(-1)])
    func anyBusyTimeoutOpens(timeout: Duration) async throws {
        let directory = try TemporaryDirectory()
        let settings = StoreSettings(readers: 1, busyTimeout: timeout)
        let vault = Vault(directory.path(""), keys: .numbered(1)).with(\.settings, settings)
        try await vault.keep("a")
        #expect(try await vault.lines() == ["a"])
    }

    @Test func readersAreAtLeastOneAndNotMoreThanAThousandOrSo() {
        #expect(StoreSettings(readers: .max).readers == 1_024)
        #expect(StoreSettings(readers: .min).readers == 1)
        var settings = StoreSettings(readers: 3)
        settings.readers = .max
        #expect(settings.readers == 1_024)
    }
}
