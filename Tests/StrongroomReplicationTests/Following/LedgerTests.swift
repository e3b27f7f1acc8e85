import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// Whatever fails, a replica restores to a state that the database had after one of its commits.
@Suite struct LedgerTests {
    /// A commit writes a line of a ledger, and changes the sum over all lines in another table.
    static func write(_ line: Int64, _ size: Int, in store: Store) async throws {
        try await store.write { db in
            try db.execute("CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, filling BLOB)")
            try db.execute("CREATE TABLE IF NOT EXISTS total (id INTEGER PRIMARY KEY, lines INTEGER, sum INTEGER)")
            try db.execute("INSERT OR IGNORE INTO total VALUES (1, 0, 0)")
            try db.execute("INSERT INTO line VALUES (\(line), zeroblob(\(size)))")
            try db.execute("UPDATE total SET lines = lines + 1, sum = sum + \(line)")
            if line > 40 { try db.execute("UPDATE line SET filling = zeroblob(10) WHERE id = \(line - 40)") }
        }
    }

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

    @Test(arguments: [1, 2, 3] as [UInt64]) func `a random program with a failing object store`(seed: UInt64)
        async throws
    {
        let objects = MemoryObjectStore()
        let chance = Locked(SeededGenerator(seed))
        @Sendable func random(_ range: Range<Int>) -> Int { chance.withLock { Int.random(in: range, using: &$0) } }
        let replica = Replica(in: objects, interval: .milliseconds(1))
        let clinic = try Clinic(replica)
        var store = try await clinic.open()
        var line: Int64 = 0
        for _ in 0..<60 {
            switch random(0..<12) {
            case 0:
                try await store.close()
                store = try await clinic.open()
            case 1:
                objects.onCreate { _ in
                    switch random(0..<4) {
                    case 0: .refused
                    case 1: .lostAnswer
                    default: .none
                    }
                }
            case 2: objects.onCreate { _ in .none }
            case 3: try await store.vacuum()
            case 4: try await store.checkpoint()
            case 5:
                objects.onCreate { _ in .none }
                try await store.replication?.waitUntilShipped()
                let restored = try await Self.lines(restoredFrom: replica)
                #expect(restored ?? 0 == line)
            default:
                for _ in 0..<random(1..<20) {
                    line += 1
                    try await Self.write(line, random(0..<20_000), in: store)
                }
            }
        }
        objects.onCreate { _ in .none }
        try await store.replication?.waitUntilShipped()
        let newest = try #require(store.replication?.status.change)
        try await store.close()
        var former: Int64 = 0
        for change in 1...newest {
            do {
                guard let lines = try await Self.lines(restoredFrom: replica, to: .change(change)) else { continue }
                #expect(lines >= former)
                former = lines
            } catch let error as StrongroomError where error.code == .replicaMissing && former == 0 {
                // Before the first base.
            }
        }
        #expect(former == line)
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
