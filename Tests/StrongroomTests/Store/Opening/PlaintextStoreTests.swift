import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Stores that are plaintext by wish")
struct PlaintextStoreTests {
    private let vault: Vault
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("")) { _ in .plaintext }
    }

    @Test func theFileIsAPlainSQLiteDatabase() async throws {
        let report = try await vault.keep("readable words")
        #expect(report.outcome == .created)
        #expect(report.key == nil)
        let bytes = try Data(contentsOf: URL(filePath: vault.path))
        #expect(bytes.prefix(16) == Data("SQLite format 3\0".utf8))
        #expect(bytes.range(of: Data("readable words".utf8)) != nil)
        #expect(try FileManager.default.attributesOfItem(atPath: vault.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func itIsOpenedAgainReadAndMigrated() async throws {
        try await vault.keep("a")
        let longer = Migrator {
            Migration("1") { _ in }
            Migration("2") { db in try db.execute("INSERT INTO line VALUES ('by the migration')") }
        }
        let report = try await vault.with(\.migrator, longer).keep("b")
        #expect(report.outcome == .opened)
        #expect(report.key == nil)
        #expect(report.migration?.applied == ["2"])
        #expect(try await vault.with(\.migrator, longer).lines() == ["a", "by the migration", "b"])
    }

    @Test func severalReadersWork() async throws {
        try await vault.keep("a")
        try await vault.with(\.settings, StoreSettings(readers: 4)).using { store in
            try await withThrowingTaskGroup { group in
                for _ in 0..<12 {
                    group.addTask {
                        let lines = try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self)
                        }
                        #expect(lines == 1)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(.enabled(if: Program(named: "sqlite3") != nil, "the sqlite3 shell is not installed"))
    func theSQLiteShellReadsAndWritesIt() async throws {
        let shell = try #require(Program(named: "sqlite3"))
        try await vault.keep("ours")
        let result = try shell.run(
            ["-batch", vault.path], input: "INSERT INTO line VALUES ('theirs'); SELECT count(*) FROM line;\n")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "2\n")
        #expect(try await vault.lines() == ["ours", "theirs"])
    }
}
