import Foundation
// Internal: a connection past the store, as another program has one.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Files that another program is using")
struct BusyFileTests {
    private let vault = Vault(keys: .numbered(1)).with(\.settings, StoreSettings(busyTimeout: .milliseconds(20)))

    init() async throws { try await vault.keep("a") }

    @Test func aFileThatIsLockedAsAWholeIsBusy() async throws {
        let other = try vault.connection()
        try other.run("PRAGMA journal_mode = DELETE")
        try other.run("BEGIN EXCLUSIVE")
        let error = try await expectFailure(.busy) { try await vault.open() }
        #expect(error.message.contains("Another connection has locked the database"))
        #expect(error.database == "vault.sqlite")
        try other.run("COMMIT")
        other.close()
        #expect(try await vault.lines() == ["a"])
    }

    @Test func aMigrationThatCannotBeginIsBusyAndNotTheMigrationsMistake() async throws {
        let other = try vault.connection()
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
        let other = try vault.connection()
        try other.run("BEGIN IMMEDIATE")
        try other.run("INSERT INTO line VALUES ('not committed')")
        #expect(try await vault.lines() == ["a"])
        try other.run("COMMIT")
        other.close()
        #expect(try await vault.lines() == ["a", "not committed"])
    }

    @Test func aWriteThatWaitsForAnotherProgramCanBeStopped() async throws {
        let vault = vault.with(\.settings, StoreSettings(busyTimeout: .seconds(1_000)))
        let store = try await vault.open()
        let other = try vault.connection()
        try other.run("BEGIN IMMEDIATE")
        let write: @Sendable (borrowing WriteTransaction) throws -> Void = { db in
            try db.execute("INSERT INTO line VALUES ('b')")
        }
        // On a busy machine the time is over before the first try.
        while store.statistics.busyRetries == 0 {
            try await expectFailure(.timedOut) { try await store.write(timeout: .milliseconds(50), write) }
            try await expectFailure(.timedOut) {
                try await onThread { try store.write(as: .immediate, timeout: .milliseconds(50), write) }
            }
        }
        for _ in 0..<20 {
            let task = Task { try await store.write(write) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        let patient = Task { try await store.write(write) }
        _ = try await store.lineCount()
        try other.run("COMMIT")
        other.close()
        try await patient.value
        try await store.close()
        #expect(try await vault.lines() == ["a", "b"])
    }

    @Test(arguments: [0, 1, 20])
    func aWriteWaitsAsLongAsTheSettingsSay(milliseconds: Int) async throws {
        let vault = vault.with(\.settings, StoreSettings(busyTimeout: .milliseconds(milliseconds)))
        let store = try await vault.open()
        let other = try vault.connection()
        try other.run("BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        try await expectFailure(.busy) { try await store.write { db in try db.execute("DELETE FROM line") } }
        #expect(ContinuousClock.now - start >= .milliseconds(milliseconds))
        #expect((store.statistics.busyRetries > 0) == (milliseconds > 0))
        try other.run("COMMIT")
        other.close()
        try await store.close()
    }
}
