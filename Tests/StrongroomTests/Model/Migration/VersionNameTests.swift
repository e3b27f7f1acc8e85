import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Versions and files whose names differ only in how their letters are composed are two.
@Suite("Names that look alike")
struct VersionNameTests {
    /// Composed and decomposed: one text to Swift, two to the engine and the file system.
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    private let vault = Vault(keys: .numbered(1))

    private static func migrator(_ versions: String...) -> Migrator {
        Migrator {
            versions.enumerated().map { index, version in
                Migration(version) { db in
                    try db.execute("CREATE TABLE \(name: "step\(index)") (id)")
                } down: { db in
                    try db.execute("DROP TABLE \(name: "step\(index)")")
                }
            }
        }
    }

    @Test func aVersionThatIsComposedOtherwiseIsUnknown() async throws {
        try await vault.with(\.migrator, Self.migrator("1", Self.composed)).using { _ in }
        let other = vault.with(\.migrator, Self.migrator("1", Self.decomposed))
        try await expectFailure(.newerSchema) { try await other.using { _ in } }
    }

    @Test func twoVersionsThatLookAlikeAreGoneBackFromOneByOne() async throws {
        try await vault.with(\.migrator, Self.migrator("1", Self.composed, Self.decomposed)).using { store in
            let report = try await store.migrate(to: Self.composed)
            #expect(report.undone.map { Array($0.utf8) } == [Array(Self.decomposed.utf8)])
            #expect(try await store.read { db in try db.tableNames() } == ["step0", "step1"])
            #expect(try await store.migrate().applied.count == 1)
        }
    }

    #if os(Linux)
    @Test func migrationBackupsAreThoseOfTheirOwnFile() async throws {
        let keeping = vault.with(\.settings.migrationBackups, .newest(5))
        let names = ["vault_\(Self.composed).sqlite", "vault_\(Self.decomposed).sqlite"]
        for name in names {
            let first = try Stores(keeping.with(\.migrator, Self.migrator("1")))
            try await first.open(name).close()
            let second = try Stores(keeping.with(\.migrator, Self.migrator("1", "2")))
            try await second.open(name).close()
        }
        let stores = try Stores(vault)
        for name in names {
            let found = try stores.migrationBackups(of: name)
            #expect(found.count == 1)
            #expect(found.allSatisfy { $0.path.utf8.count == found[0].path.utf8.count })
        }
    }
    #endif
}
