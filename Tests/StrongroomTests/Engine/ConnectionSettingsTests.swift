import Strongroom
import StrongroomTesting
import Testing

struct ConnectionSettingsTests {
    private static func setting(_ name: String, _ db: borrowing some Reading & ~Copyable) throws -> SQLValue? {
        try db.value("PRAGMA \(SQL(stringLiteral: name))", as: SQLValue.self)
    }

    private static func expectCommonSettings(_ db: borrowing some Reading & ~Copyable) throws {
        #expect(try setting("journal_mode", db) == "wal")
        #expect(try setting("foreign_keys", db) == 1)
        #expect(try setting("secure_delete", db) == 1)
        #expect(try setting("temp_store", db) == 2)
        #if canImport(Darwin)
        #expect(try setting("fullfsync", db) == 1)
        #expect(try setting("checkpoint_fullfsync", db) == 1)
        #endif
        let trusted = try setting("trusted_schema", db)
        #expect(trusted == (try EngineFeatures.current().sqliteVersionNumber >= 3_031_000 ? 0 : nil))
    }

    @Test func theWriterKeepsWhatItCommits() async throws {
        try await TemporaryStore().store.write { db in
            try Self.expectCommonSettings(db)
            #expect(try Self.setting("synchronous", db) == 2)
            #expect(try Self.setting("query_only", db) == 0)
        }
    }

    @Test func everyReaderIsKeptFromWriting() async throws {
        let store = try await TemporaryStore(settings: StoreSettings(readers: 3)).store
        try await withThrowingTaskGroup { group in
            for _ in 0..<12 {
                group.addTask {
                    try await store.read { db in
                        try Self.expectCommonSettings(db)
                        #expect(try Self.setting("query_only", db) == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [(nil, 16 << 10), (1 << 20, 1 << 10), (0, 128), (Int.max, 1 << 20)] as [(Int?, Int)])
    func everyConnectionHasThePageCacheOfTheSettings(bytes: Int?, kibibytes: Int) async throws {
        let settings = bytes.map { StoreSettings(pageCache: $0) } ?? StoreSettings()
        let store = try await TemporaryStore(tables: [Contact.schema], settings: settings).store
        let expected = SQLValue.integer(Int64(-kibibytes))
        try await store.write { db in
            #expect(try Self.setting("cache_size", db) == expected)
            // It sorts with a smaller one.
            try db.execute("CREATE INDEX sorted ON contact (name)")
            #expect(try Self.setting("cache_size", db) == expected)
        }
        let ofReader = try await store.read { db in try Self.setting("cache_size", db) }
        #expect(ofReader == expected)
    }

    /// SQLCipher 4.6 reports what it cannot decrypt there, unless it is told not to.
    @Test func theEngineWritesNothingToStandardError() async throws {
        let directory = try TemporaryDirectory()
        try await Vault(directory.path("files"), keys: .numbered(1)).keep()
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [root = directory.path("files") as String] in
            for number in 2...4 as ClosedRange<UInt8> {
                try await expectFailure(.wrongKey) { try await Vault(root, keys: .numbered(number)).open() }
            }
        }
        let written = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!written.contains("sqlcipher"), "\(written)")
    }

    @Test func foreignKeysAreEnforced() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try db.execute("CREATE TABLE note (contact INTEGER NOT NULL REFERENCES contact (id))")
            try expectFailure(.constraint) { try db.execute("INSERT INTO note VALUES (5)") }
            let key = try Contact.insert(Contact(), in: db)
            try db.execute("INSERT INTO note VALUES (\(key))")
            try expectFailure(.constraint) { try Contact.delete(key, in: db) }
            try expectFailure(.constraint) { try Contact.truncate(in: db) }
            #expect(try Contact.count(in: db) == 1)
        }
    }
}
