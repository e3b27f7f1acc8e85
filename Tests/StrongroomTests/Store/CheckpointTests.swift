import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// The WAL is checkpointed after the write that made it long, and not by whoever waits for that write.
@Suite("Checkpoints")
struct CheckpointTests {
    private let vault = Vault(keys: .numbered(1))

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    private static let lines = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"

    /// About eight megabytes, more than a log may keep.
    private static func writeMuch(_ db: borrowing WriteTransaction) throws {
        try db.execute("\(SQL(stringLiteral: lines)) INSERT INTO line SELECT hex(randomblob(2000)) FROM n")
    }

    @Test func aLongLogIsBroughtIntoTheFileWhileTheStoreIsOpen() async throws {
        try await vault.using { store in
            let before = try size(store.path)
            try await store.write { db in try Self.writeMuch(db) }
            try await eventually { try size(store.path) > before + 8_000_000 }
            // The next one begins the log anew, so it does not grow for ever.
            let log = try size("\(store.path)-wal")
            for _ in 0..<3 {
                try await store.write { db in
                    try db.execute("DELETE FROM line")
                    try Self.writeMuch(db)
                }
            }
            #expect(try size("\(store.path)-wal") < 3 * log)
        }
    }

    @Test func aBlockingWriteLeavesItToTheWritersThread() async throws {
        let store = try await vault.open()
        let before = try size(store.path)
        _ = try await onThread { try store.write { db in try Self.writeMuch(db) } }
        try await eventually { try size(store.path) > before + 8_000_000 }
        _ = try await onThread { try store.write { db in try db.execute("DELETE FROM line") } }
        #expect(try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) } == 0)
        try await store.close()
    }

    @Test func aReaderKeepsItsSnapshotAndTheFileComesAfterIt() async throws {
        try await vault.using { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('first')") }
            let (isReading, mayEnd) = (Moment(), Moment())
            let reader = Task {
                try await store.read { db in
                    let before = try db.value("SELECT count(*) FROM line", as: Int.self)
                    isReading.come()
                    try mayEnd.block()
                    return [before, try db.value("SELECT count(*) FROM line", as: Int.self)]
                }
            }
            try await isReading.wait()
            for _ in 0..<2 { try await store.write { db in try Self.writeMuch(db) } }
            mayEnd.come()
            #expect(try await reader.value == [1, 1])
            try await store.write { db in try Self.writeMuch(db) }
            try await eventually { try size(store.path) > 24_000_000 }
            #expect(try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) } == 6_001)
        }
    }

    @Test func whatWriteReturnedForSurvivesAKillAtOnce() async throws {
        try await vault.keep("kept")
        for round in 1...3 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [root = vault.directory as String] in
                try await Vault(root, keys: .numbered(1)).open().write { db in try Self.writeMuch(db) }
                kill(getpid(), SIGKILL)
            }
            #expect(try await vault.lines().count == 1 + 2_000 * round)
        }
    }
}
