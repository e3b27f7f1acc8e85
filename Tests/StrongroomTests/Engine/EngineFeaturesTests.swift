// Internal: features of engines that are not linked.
@testable import Strongroom
import StrongroomTesting
import Testing

struct EngineFeaturesTests {
    /// Whether the engine prepares and runs SQL; undone afterwards.
    private func accepts(_ sql: String, _ store: Store) async throws -> Bool {
        struct Undo: Error {}
        do {
            try await store.write { db in
                try db.forEachRow(SQL(stringLiteral: sql)) { _ in }
                throw Undo()
            }
            return true
        } catch is Undo {
            return true
        } catch let error as StrongroomError
            where [.sql, .missingFunction, .notSupported].contains(error.code)
        {
            return false
        }
    }

    @Test func whatTheFeaturesSayIsWhatTheEngineAccepts() async throws {
        let features = try EngineFeatures.current()
        let store = try await TemporaryStore(tables: [Cell<String>.schema]).store
        #expect(
            try await accepts(
                "INSERT INTO cell VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET content = excluded.content", store)
                == features.hasUpsert)
        #expect(
            try await accepts("INSERT INTO cell (content) VALUES ('a') RETURNING id", store) == features.hasReturning)
        #expect(try await accepts("SELECT json('[1]')", store) == features.hasJSON)
        #expect(try await accepts("CREATE VIRTUAL TABLE words USING fts5(body)", store) == features.hasFTS5)
        #expect(
            try await accepts("SELECT row_number() OVER (ORDER BY id) FROM cell", store) == features.hasWindowFunctions)
        #expect(
            try await accepts("ALTER TABLE cell RENAME COLUMN content TO text", store) == features.hasRenameColumn)
        #expect(try await accepts("ALTER TABLE cell DROP COLUMN content", store) == features.hasDropColumn)
    }

    @Test func theVersionsAreTheEnginesOwn() async throws {
        let features = try EngineFeatures.current()
        let store = try await TemporaryStore().store
        #expect(try await store.value("SELECT sqlite_version()", as: String.self) == features.sqliteVersion)
        let parts = features.sqliteVersion.split(separator: ".").compactMap { Int($0) }
        try #require(parts.count == 3)
        #expect(features.sqliteVersionNumber == parts[0] * 1_000_000 + parts[1] * 1_000 + parts[2])
        #expect([3, 4].contains(features.cipherMajorVersion))
        #expect(features.cipherVersion.hasPrefix("\(features.cipherMajorVersion)."))
    }

    @Test func asManyParametersAsTheFeaturesSayAreAcceptedAndOneMoreIsNot() async throws {
        let most = try EngineFeatures.current().maximumParameters
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let keys = try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        @Sendable func find(_ count: Int) -> SQL {
            var list: SQL = "\(keys[0])"
            for index in 1..<count { list = "\(list), \(index < 3 ? keys[index] : Int64(-index))" }
            return "SELECT count(*) FROM contact WHERE id IN (\(list))"
        }
        try await store.read { db in
            #expect(try db.value(find(most), as: Int.self) == 3)
            try expectFailure(.sql, saying: "too many SQL variables") { try db.value(find(most + 1), as: Int.self) }
        }
    }

    @Test func aListMayBeLongerThanTheEngineHasParameters() async throws {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        let keys = try await store.write { db in try Contact.insert(contentsOf: Contact.samples(3), in: db) }
        let most = try EngineFeatures.current().maximumParameters
        let padding = (0...most).map { Int64(-$0) }
        let found = try await store.table(Contact.self).fetch(Contact.where { $0.id.isIn(keys + padding) })
        #expect(found.count == 3)
    }

    @Test(arguments: [
        ("2.2.1", true), ("3.3.1", true), ("3.4.0", true), ("3.4.1", false), ("3.4.2", false),
        ("4.0.0 community", false), ("4.19.0 community", false), ("5.0.0", false),
    ])
    func `engines before 3.4.1 are refused`(version: String, isTooOld: Bool) {
        #expect(EngineFeatures.isTooOld(version) == isTooOld)
    }

    @Test(arguments: [
        (3_015_002, false, ["WAL-reset race", "CVE-2025-6965", "CVE-2026-119371"]),
        (
            3_046_001, true,
            [
                "WAL-reset race", "CVE-2025-6965", "CVE-2026-11822", "CVE-2026-11824", "CVE-2026-119371",
                "CVE-2026-119374",
            ]
        ),
        (3_050_007, false, ["CVE-2026-119371"]),
        (3_053_004, true, ["CVE-2026-119371", "CVE-2026-119374"]),
        (3_054_000, true, []),
    ])
    func `advisories follow from the version and the features`(version: Int, hasFTS5: Bool, names: [String]) {
        let features = EngineFeatures(
            sqliteVersion: "", sqliteVersionNumber: version, cipherVersion: "", hasFTS5: hasFTS5, hasFTS4: true,
            hasJSON: true, hasPageStatistics: true, maximumParameters: 999)
        #expect(features.advisories.map(\.identifier) == names)
    }
}
