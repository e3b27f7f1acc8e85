import Foundation
import Strongroom
import StrongroomTesting
import Testing

#if ConfigReader
import Configuration
#endif

/// What the article's examples take for granted.
enum Families {
    @Table("entry")
    struct Entry {
        var id: Int64?
        var text: String
    }

    struct Diary: Configuration {
        static let target = "diary"
        let directory: String
        let secret: @Sendable (DatabaseName) async throws -> String

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database.fileName)" }
        func keyChain(for database: DatabaseName) async throws -> KeyChain {
            try KeyChain(.passphrase(await secret(database)))
        }
        func migrator(for database: DatabaseName) -> Migrator? { .automatic(tables: [Entry.schema]) }
    }

    static func openDiary(
        of user: String, in directory: String, _ secret: @escaping @Sendable (DatabaseName) async throws -> String
    ) async throws -> (Stores, Store) {
        let stores = try Stores(Diary(directory: directory, secret: secret))
        let store = try await stores.open("diary_\(user).sqlite")
        return (stores, store)
    }
}

private struct Discovered {
    /// For the whole process, as the registry is.
    enum Place {
        static let data = FileManager.default.temporaryDirectory
            .appending(path: "strongroom-\(UUID().uuidString)").path(percentEncoded: false)
    }

    @Configuration("journal")
    struct Journal {
        func filePath(for database: DatabaseName) -> String? { "\(Place.data)/\(database.fileName)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyFile("\(Place.data)/keys").keyChain(creating: true)
        }
    }

    func openJournal(of user: String) async throws -> Store {
        try await Stores.shared.open("journal_\(user).sqlite")
    }
}

/// A catalogue that is only read.
private struct Catalogue: Configuration {
    static let target = "diary"
    let diary: Families.Diary

    func filePath(for database: DatabaseName) -> String? { diary.filePath(for: database) }
    func keyChain(for database: DatabaseName) async throws -> KeyChain { try await diary.keyChain(for: database) }
    func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(isReadOnly: true) }
}

@Suite("The examples of \"Configurations and families\"")
struct ConfigurationsAndFamiliesExamples {
    @Test func aFamilyHasAKeyForEachOfItsFiles() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.path("diaries")
        for user in ["alice", "bob"] {
            let (stores, store) = try await Families.openDiary(of: user, in: place) { "secret of \($0)" }
            try await store.write { db in try Families.Entry.insert(Families.Entry(text: user), in: db) }
            #expect(store.path.hasSuffix("/diaries/diary_\(user).sqlite"))
            try await stores.closeAll()
        }
        let stores = try Stores(Families.Diary(directory: place) { "secret of \($0)" })
        #expect(try stores.databases(of: "diary").map(\.fileName) == ["diary_alice.sqlite", "diary_bob.sqlite"])
        let same = try Stores(Families.Diary(directory: place) { _ in "secret of diary_alice.sqlite" })
        await #expect { try await same.open("diary_bob.sqlite") } throws: { error in
            (error as? StrongroomError)?.code == .wrongKey
        }
    }

    @Test(arguments: [
        ("diary.sqlite", "diary"), ("diary_alice.sqlite", "diary"), ("diary.2026.sqlite", "diary"), ("diary", "diary"),
        ("diary-alice.sqlite", "diary-alice"),
    ])
    func aNameHasATarget(name: String, target: String) throws {
        #expect(try DatabaseName(name).target == target)
    }

    @Test(arguments: ["", "diary_../x", "_diary", ".diary", "diary.keys", "diary-wal", "diary\u{7}", "..", "."])
    func aNameFromOutsideIsChecked(name: String) {
        #expect { try DatabaseName(name) } throws: { ($0 as? StrongroomError)?.code == .invalidName }
    }

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

    #if ConfigReader
    @Test func settingsComeFromTheEnvironment() async throws {
        let stores = Stores()
        setenv("DIARY_STORE_BUSY_TIMEOUT_MILLISECONDS", "30000", 1)
        setenv("DIARY_STORE_ROTATION", "manual", 1)
        setenv("DIARY_LIMITS_OPEN_STORES", "500", 1)
        defer {
            for name in ["STORE_BUSY_TIMEOUT_MILLISECONDS", "STORE_ROTATION", "LIMITS_OPEN_STORES"] {
                unsetenv("DIARY_\(name)")
            }
        }

        let config = ConfigReader(provider: EnvironmentVariablesProvider())
        let settings = try await StoreSettings(config, forKey: "diary.store")
        stores.lendingLimits = try await LendingLimits(config, forKey: "diary.limits")
        #expect(settings == StoreSettings(busyTimeout: .seconds(30), rotation: .manual))
        #expect(stores.lendingLimits == LendingLimits(openStores: 500))
    }
    #endif

    @Test func aFileThatIsOnlyRead() async throws {
        let directory = try TemporaryDirectory()
        let (stores, store) = try await Families.openDiary(of: "alice", in: directory.path("")) { _ in "secret" }
        try await store.write { db in try Families.Entry.insert(Families.Entry(text: "kept"), in: db) }
        try await stores.closeAll()

        let reading = try Stores(Catalogue(diary: Families.Diary(directory: directory.path("")) { _ in "secret" }))
        let catalogue = try await reading.open("diary_alice.sqlite")
        #expect(try await catalogue.table(Families.Entry.self).all().map(\.text) == ["kept"])
        await #expect { try await catalogue.write { _ in } } throws: { ($0 as? StrongroomError)?.code == .readOnly }
        #expect(try await catalogue.verify().isWhole)
        try await reading.closeAll()
    }

    @Test func aRenamedDatabaseIsAdopted() async throws {
        let place = try Place(tables: Families.Entry.schema)
        let stores = try Stores(place)
        try await stores.open("addressbook_alice.sqlite").close()
        try FileManager.default.moveItem(
            atPath: place.directory.path("addressbook_alice.sqlite"),
            toPath: place.directory.path("addressbook_beth.sqlite"))

        try await stores.adopt("addressbook_beth.sqlite", from: "addressbook_alice.sqlite")

        try await stores.open("addressbook_beth.sqlite").close()
    }

    @Test func aMarkedTypeIsFound() async throws {
        let store = try await Discovered().openJournal(of: "alice")
        #expect(store.path.hasSuffix("/journal_alice.sqlite"))
        #expect(store.opening.outcome == .created && store.opening.key?.isCurrent == true)
        try await store.close()
        try FileManager.default.removeItem(atPath: Discovered.Place.data)
    }
}
