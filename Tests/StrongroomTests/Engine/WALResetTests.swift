import Foundation
import StrongroomTesting
import Testing

// Internal: the schedules are planted between the engine and its file.
@testable import Strongroom

/// One connection checkpoints, another one commits in between and begins the WAL anew.
@Suite("The WAL-reset race", .ending)
struct WALResetTests {
    /// What the linked engine loses by itself.
    private static let hasRace = WALResetGuard.isNeeded

    private let directory = TemporaryDirectory.ofSuite()
    private var path: String { directory.path("race.sqlite") }

    private func connect(isGuarded: Bool) throws -> Connection {
        let connection = try Connection(path: path, mode: .create, database: "race.sqlite", isGuarded: isGuarded)
        try connection.configure(as: .writer, busyTimeout: 0)
        return connection
    }

    /// Inserts a row that takes a page or two.
    private func insert(_ connection: Connection) throws {
        try connection.run("INSERT INTO line (text) VALUES (hex(randomblob(600)))")
    }

    private func rows() throws -> Int64? {
        let connection = try Connection(path: path, mode: .existing, database: "race.sqlite")
        defer { connection.close() }
        #expect(try connection.ownValue("PRAGMA integrity_check") == .text("ok"))
        guard case .integer(let count)? = try connection.ownValue("SELECT count(*) FROM line") else { return nil }
        return count
    }

    /// What a schedule came to.
    private struct Outcome {
        var acknowledged: Int64 = 0
        /// Whether the commit had to wait for the checkpoint.
        var hasWaited = false
        var rows: Int64?
    }

    /// Runs a schedule: a WAL that has been checkpointed as a whole; a checkpoint of one connection, which a commit of
    /// another one interrupts; further commits of both; everything closed and read again.
    private func run(
        _ checkpoint: String, at point: PlantedIndexLocks.Point, isCheckpointGuarded: Bool, isWriterGuarded: Bool
    ) throws -> Outcome {
        var outcome = Outcome()
        let writer = try connect(isGuarded: isWriterGuarded)
        try writer.run("CREATE TABLE line (id INTEGER PRIMARY KEY, text)")
        func acknowledge(_ connection: Connection) throws {
            try insert(connection)
            outcome.acknowledged += 1
        }
        for _ in 0..<20 { try acknowledge(writer) }
        let other = try connect(isGuarded: false)
        // Its header is read anew only in the checkpoint.
        _ = try other.ownValue("SELECT count(*) FROM line")
        if point == .headerIsRead { try writer.run("PRAGMA wal_checkpoint(PASSIVE)") }
        var isReached = false
        let locks = PlantedIndexLocks(point, of: try other.logIndex()) {
            isReached = true
            do { try acknowledge(writer) } catch { outcome.hasWaited = true }
        }
        other.add(locks)
        if isCheckpointGuarded { other.add(WALResetGuard()) }
        try other.run(checkpoint)
        #expect(isReached)
        for _ in 0..<3 { try acknowledge(writer) }
        try acknowledge(other)
        try acknowledge(writer)
        other.close()
        writer.close()
        outcome.rows = try rows()
        return outcome
    }

    private static let passive = "PRAGMA wal_checkpoint(PASSIVE)"
    private static let all = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].map { "PRAGMA wal_checkpoint(\($0))" }

    @Test(.enabled(if: hasRace, "the linked engine has the fix"))
    func withoutAGuardOnEitherSideTheScheduleLosesRows() throws {
        let outcome = try run(
            Self.passive, at: .headerIsRead, isCheckpointGuarded: false, isWriterGuarded: false)
        #expect(!outcome.hasWaited)
        #expect(try #require(outcome.rows) < outcome.acknowledged)
    }

    @Test(arguments: all, [false, true])
    func aGuardedCheckpointLetsACommitWait(checkpoint: String, isWriterGuarded: Bool) throws {
        let outcome = try run(
            checkpoint, at: .headerIsRead, isCheckpointGuarded: true, isWriterGuarded: isWriterGuarded)
        #expect(outcome.hasWaited)
        #expect(outcome.rows == outcome.acknowledged)
    }

    /// A foreign program's checkpoint.
    @Test func aGuardedWriterRestartsTheLogWithoutAConcurrentCheckpoint() throws {
        let outcome = try run(Self.passive, at: .headerIsRead, isCheckpointGuarded: false, isWriterGuarded: true)
        #expect(!outcome.hasWaited)
        #expect(outcome.rows == outcome.acknowledged)
    }

    @Test(arguments: [false, true], [false, true])
    func whileACheckpointCopiesOthersCommit(isCheckpointGuarded: Bool, isWriterGuarded: Bool) throws {
        let outcome = try run(
            Self.passive, at: .copies, isCheckpointGuarded: isCheckpointGuarded, isWriterGuarded: isWriterGuarded)
        #expect(!outcome.hasWaited)
        #expect(outcome.rows == outcome.acknowledged)
    }

    @Test func aCheckpointThatWritesLockOutIsNotDoneWithoutTheLock() throws {
        let (writer, other) = (try connect(isGuarded: true), try connect(isGuarded: true))
        defer {
            other.close()
            writer.close()
        }
        try writer.run("CREATE TABLE line (id INTEGER PRIMARY KEY, text)")
        _ = try other.ownValue("SELECT count(*) FROM line")
        try writer.begin(.immediate)
        try insert(writer)
        let size = try FileStatus.at(path)?.size
        #expect(try !other.checkpoint().isComplete)
        #expect(try FileStatus.at(path)?.size == size)
        try writer.commit()
        #expect(try other.checkpoint().isComplete)
        #expect(try FileStatus.at(path + "-wal")?.size == 0)
    }

    @Test(.enabled(if: hasRace, "the linked engine has the fix"))
    func connectionsAreGuardedByThemselves() throws {
        let connection = try Connection(path: path, mode: .create, database: "race.sqlite")
        defer { connection.close() }
        try connection.run("PRAGMA journal_mode = WAL")
        try connection.run("CREATE TABLE line (id INTEGER PRIMARY KEY, text)")
        let other = try connect(isGuarded: false)
        defer { other.close() }
        try other.begin(.immediate)
        // A checkpoint without a guard needs no write lock.
        guard case .integer(let isBusy)? = try connection.ownValue(Self.passive) else {
            Issue.record("the checkpoint says nothing")
            return
        }
        #expect(isBusy == 1)
        other.rollBack()
    }

    @Test(arguments: [
        (3_007_000, false), (3_015_002, false), (3_044_005, false), (3_044_006, true), (3_045_000, false),
        (3_046_001, false), (3_050_006, false), (3_050_007, true), (3_051_000, false), (3_051_002, false),
        (3_051_003, true), (3_053_000, true), (4_000_000, true),
    ])
    func theVersionSaysWhetherTheEngineHasTheFix(version: Int, hasFix: Bool) {
        #expect(EngineFeatures.hasWALResetFix(sqliteVersionNumber: version) == hasFix)
    }
}
