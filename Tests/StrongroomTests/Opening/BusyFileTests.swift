import Foundation
// Internal: a connection past the store, as another program has one.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Files that another program is using")
struct BusyFileTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() async throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path(""), keys: .numbered(1))
            .with(\.settings, StoreSettings(busyTimeout: .milliseconds(20)))
        try await vault.keep("a")
    }

    private func otherConnection() throws -> Connection {
        let salt = try [UInt8](Data(contentsOf: URL(filePath: vault.path)).prefix(16))
        let key = try DerivedKey(.numbered(1), salt: salt, settings: .engineDefault())
        return try DatabaseFile(path: vault.path, name: "other", busyTimeout: 0).connect(.existing, key: key)
    }

    @Test func aFileThatIsLockedAsAWholeIsBusy() async throws {
        let other = try otherConnection()
        try other.run("PRAGMA journal_mode = DELETE")
        try other.run("BEGIN EXCLUSIVE")
        let error = try await expectFailure(.busy) { try await vault.open() }
        #expect(error.message.contains("Another connection holds the database"))
        #expect(error.database == "vault.sqlite")
        try other.run("COMMIT")
        other.close()
        #expect(try await vault.lines() == ["a"])
    }

    @Test func aMigrationThatCannotBeginIsBusyAndNotTheMigrationsMistake() async throws {
        let other = try otherConnection()
        try other.run("BEGIN IMMEDIATE")
        let migrator = Migrator {
            Migration("1") { _ in }
            Migration("2") { db in try db.execute("INSERT INTO line VALUES ('2')") }
        }
        let error = try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
        #expect(error.message.contains("busy"))
        #expect(!error.message.contains("Correct the migration"))
        try other.run("COMMIT")
        other.close()
        #expect(try await vault.with(\.migrator, migrator).lines() == ["a", "2"])
    }

    @Test func aFileThatIsWrittenElsewhereOpensForReading() async throws {
        let other = try otherConnection()
        try other.run("BEGIN IMMEDIATE")
        try other.run("INSERT INTO line VALUES ('not committed')")
        #expect(try await vault.lines() == ["a"])
        try other.run("COMMIT")
        other.close()
        #expect(try await vault.lines() == ["a", "not committed"])
    }
}
