import Strongroom
import Testing

@Suite("The defaults in \"Configurations and families\"")
struct ConfigurationsAndFamiliesExamples {
    @Test func whatSettingsSayByThemselves() {
        let settings = StoreSettings()
        #expect(settings.storage == .disk && settings.readers >= 2 && !settings.isReadOnly)
        #expect(settings.busyTimeout == .seconds(5) && settings.openTimeout == .seconds(30))
        #expect(settings.rotation == .onOpen && settings.migration == .onOpen && settings.migrationBackups == .none)
        #expect(settings.groupSize == 1_000 && settings.groupDuration == .milliseconds(20))
        #expect(settings.readerIdleTime == .seconds(60) && settings.slowStatement == nil)
        #expect(settings.pageCache == 16 << 20)
        #expect(!settings.recursiveTriggers && settings.foreignChanges == .automatic)
    }
}
