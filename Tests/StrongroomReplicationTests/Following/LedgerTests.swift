import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// Whatever fails, a replica restores to a state that the database had after one of its commits.
@Suite struct LedgerTests {
    /// The number of lines; nil before the first. Fails unless the state is one after a commit.
    static func lines(_ clinic: Clinic) async throws -> Int64? {
        var clinic = clinic
        clinic.replica = nil
        let store = try await clinic.open()
        let (totals, lines) = try await store.read { db in
            guard try db.dictionary("SELECT 1 AS one FROM sqlite_master WHERE name = 'total'") != nil else {
                return (nil, nil) as ([String: Value]?, [String: Value]?)
            }
            return (
                try db.dictionary("SELECT lines, sum FROM total"),
                try db.dictionary("SELECT count(*) AS lines, sum(id) AS sum, max(id) AS last FROM line")
            )
        }
        try await store.close()
        guard let totals, let lines else { return nil }
        #expect(totals["lines"] == lines["lines"] && totals["sum"] == lines["sum"])
        #expect(lines["last"] == lines["lines"])
        guard case .integer(let count)? = lines["lines"] else { return nil }
        return count
    }

    static func lines(restoredFrom replica: Replica, to point: RestorePoint = .newest) async throws -> Int64? {
        let clinic = try Clinic()
        try await Stores(clinic).restore(Clinic.file, from: replica, to: point)
        return try await lines(clinic)
    }

    /// STRONGROOM_LONG=1: a thousand.
    private static let programs: UInt64 =
        ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == "1" ? 1_000 : 6

    private static let width: UInt64 = 6

    @Test func `random programs with a failing object store`() async throws {
        // Several at a time: each waits for much of its time.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 1...Self.programs {
                if seed > Self.width { try await group.next() }
                group.addTask {
                    do {
                        var program = try await RandomProgram(seed: seed)
                        try await program.run(steps: 25)
                    } catch {
                        Issue.record("seed \(seed): \(error)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `several writers while the replica follows`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects, interval: .milliseconds(1))
        let store = try await Clinic(replica).open()
        let number = Locked<Int64>(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 {
                        try await store.write { db in
                            let line = number.withLock { number in
                                number += 1
                                return number
                            }
                            try db.execute("CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, filling BLOB)")
                            try db.execute("CREATE TABLE IF NOT EXISTS total (id INTEGER PRIMARY KEY, lines, sum)")
                            try db.execute("INSERT OR IGNORE INTO total VALUES (1, 0, 0)")
                            try db.execute("INSERT INTO line VALUES (\(line), zeroblob(5000))")
                            try db.execute("UPDATE total SET lines = lines + 1, sum = sum + \(line)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await store.replication?.waitUntilShipped()
        let newest = try #require(store.replication?.status.change)
        for change in stride(from: newest, through: 1, by: -max(1, Int(newest) / 20)).map({ UInt64($0) }) {
            _ = try await Self.lines(restoredFrom: replica, to: .change(change))
        }
        #expect(try await Self.lines(restoredFrom: replica) == 400)
        try await store.close()
    }
}
