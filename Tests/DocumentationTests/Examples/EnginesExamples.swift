import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Engines\"")
struct EnginesExamples {
    private struct Old: Configuration {
        static let target = "old"
        let directory: TemporaryDirectory

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase("correct horse")) }
        func cipherSettings(for database: DatabaseName) -> [CipherSettings] { [.sqlCipher3] }
    }

    private struct Today: Configuration {
        static let target = "old"
        let directory: TemporaryDirectory

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase("correct horse")) }
    }

    @Test func theEngineIsAsked() async throws {
        let temporary = try await TemporaryStore()
        let isMade = try await temporary.store.write { db in
            let engine = try EngineFeatures.current()
            print("SQLCipher \(engine.cipherVersion), SQLite \(engine.sqliteVersion)")
            if engine.hasFTS5 { try db.execute("CREATE VIRTUAL TABLE note_text USING fts5 (text)") }
            return try db.hasTable("note_text")
        }
        #expect(isMade == (try EngineFeatures.current().hasFTS5))
    }

    @Test func theOldFormatIsKeptWhereItIsAskedFor() async throws {
        let directory = try TemporaryDirectory()
        for _ in 1...2 {
            let stores = try Stores(Old(directory: directory))
            let store = try await stores.open("old.sqlite")
            #expect(store.opening.rotation == nil)
            try await store.close()
            let diagnosis = try await stores.diagnose("old.sqlite")
            #expect(diagnosis.finding == .whole && diagnosis.settings == .sqlCipher3)
        }
    }

    @Test func anOldFileGetsTheFormatOfTheLinkedEngine() async throws {
        let directory = try TemporaryDirectory()
        let old = try await Stores(Old(directory: directory)).open("old.sqlite")
        try await old.write { db in try db.execute("CREATE TABLE kept (text)") }
        try await old.close()
        let own = try CipherSettings.engineDefault()
        let store = try await Stores(Today(directory: directory)).open("old.sqlite")
        #expect(store.opening.rotation?.formerSettings == (own == .sqlCipher3 ? nil : .sqlCipher3))
        #expect(store.opening.rotation?.settings == (own == .sqlCipher3 ? nil : own))
        #expect(try await store.read { db in try db.hasTable("kept") })
        try await store.close()
    }
}
