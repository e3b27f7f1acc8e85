import StrongroomTesting
import Testing

// Internal: a connection past the store, as another program has one, and a checkpoint that fails.
@testable import Strongroom

@Suite("The checkpoint of a closing store", .ending)
struct ClosingCheckpointTests {
    /// Lets no checkpoint begin.
    private final class NoCheckpoint: FileLockRule {
        /// What the engine's result codes call a full disk.
        static let full: Int32 = 13

        func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32 {
            lock.slots == IndexLock.checkpoint && lock.isLocking ? Self.full : proceed(lock)
        }
    }

    /// Who waited as long would never come back.
    private let vault = Vault(keys: .numbered(1)).with(\.settings.busyTimeout, .seconds(100_000))

    init() async throws { try await vault.keep("a") }

    @Test func anotherProgramsReadDelaysNoClose() async throws {
        let store = try await vault.open()
        let other = try store.file.connect(as: .reader)
        try other.beginSnapshot()
        _ = try other.ownValue("SELECT count(*) FROM line")
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('b')") }
        try await store.close()
        let report = try #require(store.closeReport)
        #expect(!report.isComplete && report.failure == nil)
        other.rollBack()
        other.close()
        #expect(try await vault.lines() == ["a", "b"])
    }

    @Test func aFailureIsReportedAndNothingElseFails() async throws {
        let store = try await vault.open()
        try await store.pool.perform(.ungroupedWrite) { $0.add(NoCheckpoint()) }
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('b')") }
        try await expectFailure(.diskFull) { try await store.checkpoint() }
        try await store.vacuum()
        #expect(try await store.verify().isIntact)
        try await store.close()
        let report = try #require(store.closeReport)
        #expect(!report.isComplete && report.failure?.code == .diskFull && report.pagesLeft > 0)
        #expect(try await vault.lines() == ["a", "b"])
    }
}
