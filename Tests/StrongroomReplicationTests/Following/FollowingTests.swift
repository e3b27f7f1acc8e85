import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// A replica has what the database has.
@Suite struct FollowingTests {
    /// Refuses objects for a reason that somebody has to remove.
    private final class Refusing: WrappedObjectStore {
        let objects = MemoryObjectStore()
        let reason: Locked<StrongroomError.Code?>

        init(_ code: StrongroomError.Code) { reason = Locked(code) }

        func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
            if let code = reason.withLock({ $0 }) { throw StrongroomError(code, "The object was refused.") }
            return try await objects.create(name, content)
        }
    }

    @Test(arguments: [StrongroomError.Code.diskFull, .permissionDenied, .tooManyOpenFiles])
    func `those who wait get a failure that somebody has to remove`(code: StrongroomError.Code) async throws {
        let objects = Refusing(code)
        let store = try await Clinic(Replica(in: objects, interval: .milliseconds(5))).open()
        #expect(await failureCode { try await store.replication?.waitUntilShipped(timeout: .seconds(60)) } == code)
        objects.reason.withLock { $0 = nil }
        try await store.replication?.waitUntilShipped(timeout: .seconds(60))
        try await store.close()
    }

    @Test func `closing a store ships what is left`() async throws {
        let replica = Replica(in: MemoryObjectStore(), interval: .seconds(3_600))
        let store = try await Clinic(replica).open()
        try await store.replication?.waitUntilShipped()
        try await store.add(1...10)
        try await store.close()
        let restored = try await Clinic.restored(from: replica)
        #expect(restored.count == 10)
        #expect(store.replication?.status.phase ?? .ended == .ended)
    }

    @Test func `commits are shipped by themselves`() async throws {
        let replica = Replica(in: MemoryObjectStore(), interval: .milliseconds(10))
        let store = try await Clinic(replica).open()
        try await store.add(1...10)
        try await eventually { try await Clinic.restored(from: replica).count == 10 }
        try await store.close()
    }

    @Test func `a store that is opened again goes on with its replica`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try Clinic(Replica(in: objects))
        for id in 1...5 as ClosedRange<Int64> {
            let store = try await clinic.open()
            try await store.add(id...id)
            try await store.close()
        }
        let restored = try await Clinic.restored(from: try #require(clinic.replica))
        #expect(restored.count == 5)
        // The first base, and no other.
        #expect(objects.created.filter { $0.contains("/base/") }.count == 1)
    }

    @Test func `only what has changed is shipped`() async throws {
        let objects = MemoryObjectStore()
        let store = try await Clinic(Replica(in: objects)).open()
        try await store.add(1...20_000, String(repeating: "x", count: 100))
        try await store.replication?.waitUntilShipped()
        let before = try #require(store.replication?.status.shipped.bytes)
        try await store.ship(10_000...10_000, "Bob")
        let after = try #require(store.replication?.status.shipped.bytes)
        #expect(after - before < 40_000)
        try await store.close()
    }

    @Test func `rotation, VACUUM and a large change go on`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects)
        let store = try await Clinic(replica).open()
        try await store.add(1...30_000, String(repeating: "x", count: 300))
        try await store.replication?.waitUntilShipped()
        try await store.write { db in try db.execute("DELETE FROM patient WHERE id > 100") }
        try await store.vacuum()
        try await store.replication?.waitUntilShipped()
        let vacuumed = try await Clinic.restored(from: replica)
        #expect(vacuumed.count == 100)
        try await store.add(101...101)
        try await store.close()
        let restored = try await Clinic.restored(from: replica)
        #expect(restored.count == 101)
    }

    @Test func `of two processes one ships, and the other one goes on when it ends`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects, interval: .milliseconds(10))
        let clinic = try Clinic(replica)
        let first = try await clinic.open()
        try await first.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: clinic.directory.path(""))
        let record = try #require(names.first { $0.hasPrefix(".\(Clinic.file).replica-") })
        let before = objects.created.count
        // As another process holds it.
        let other = open(clinic.directory.path(record), O_RDWR)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let store = try await clinic.open()
        try await store.add(1...10)
        try await eventually { store.replication?.status.phase == .standby }
        #expect(objects.created.count == before)
        close(other)
        try await store.replication?.waitUntilShipped()
        try await store.close()
        #expect(try await Clinic.restored(from: replica).count == 10)
    }

    @Test func `a rotation during the first base leaves no replica without a base`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects, interval: .milliseconds(5))
        var clinic = try Clinic()
        let filled = try await clinic.open()
        try await filled.add(1...60_000, String(repeating: "x", count: 300))
        try await filled.close()
        clinic.replica = replica
        clinic.keys.append(.raw(Clinic.key(2)))
        clinic.settings.rotation = .manual
        objects.onCreate { name in
            if name.contains("/base/") { Thread.sleep(forTimeInterval: 0.3) }
            return .none
        }
        let store = try await Stores(clinic).open(Clinic.file)
        try await eventually { objects.created.contains { $0.contains("/base/") } }
        // Its further parts are still to come.
        #expect(objects.created.count { $0.contains("/base/") } < 5)
        try await store.rotate()
        try await store.replication?.waitUntilShipped()
        #expect(try await Clinic.restored(from: replica, keys: [.raw(Clinic.key(2))]).count == 60_000)
        try await store.close()
    }

    @Test func `a changed envelope is shipped without a commit`() async throws {
        let objects = MemoryObjectStore()
        var clinic = try Clinic(Replica(in: objects))
        clinic.protection = .envelope
        clinic.settings.rotation = .manual
        let first = try await clinic.open()
        try await first.add(1...10)
        try await first.close()
        clinic.keys.append(.raw(Clinic.key(2)))
        let second = try await clinic.open()
        try await second.replication?.waitUntilShipped()
        let before = objects.created.count
        try await second.rotate()
        try await second.replication?.waitUntilShipped()
        #expect(objects.created.count > before)
        let restored = try await Clinic.restored(
            from: try #require(clinic.replica), keys: [.raw(Clinic.key(2))], protection: .envelope)
        #expect(restored.count == 10)
        try await second.close()
    }

    @Test func `replicas that were moved to another directory go on`() async throws {
        let directory = try TemporaryDirectory()
        var clinic = try Clinic(Replica(in: DirectoryObjectStore(directory.path("a"))))
        let first = try await clinic.open()
        try await first.add(1...3)
        try await first.close()
        try FileManager.default.moveItem(atPath: directory.path("a"), toPath: directory.path("b"))
        let moved = Replica(in: DirectoryObjectStore(directory.path("b")))
        clinic.replica = moved
        let second = try await clinic.open()
        try await second.add(4...5)
        try await second.close()
        #expect(try await Clinic.restored(from: moved).count == 5)
    }

    @Test(arguments: [true, false]) func `the WAL stays short while the replica follows`(isReachable: Bool) async throws
    {
        let objects = MemoryObjectStore()
        // Without a turn of the loop, only reading ahead of checkpoints lets the WAL go.
        let interval = isReachable ? Duration.seconds(3_600) : .milliseconds(50)
        let clinic = try Clinic(Replica(in: objects, interval: interval, closingTimeout: .milliseconds(500)))
        let store = try await clinic.open()
        try await store.replication?.waitUntilShipped()
        if !isReachable { objects.onCreate { _ in .refused } }
        // About 60 MB in the WAL.
        for round in 0..<1_500 as Range<Int64> {
            try await store.write { db in
                for id in 0..<8 as Range<Int64> {
                    try db.execute(
                        "INSERT INTO patient VALUES (\(100_000 * id + round), \(String(repeating: "x", count: 500)))")
                }
            }
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: clinic.path + "-wal")
        let size = try #require(attributes[.size] as? Int)
        #expect(size < 16 << 20)
        try await store.close()
    }
}

/// Waits until a condition holds; fails after a minute.
func eventually(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if (try? await condition()) == true { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("The condition does not hold after a minute.")
}

/// Whatever fails, a replica restores to a state that the database had after one of its commits.
@Suite struct LedgerTests {
    /// The number of lines; nil before the first. Fails unless the state is one after a commit.
    static func lines(_ clinic: Clinic) async throws -> Int64? {
        var clinic = clinic
        clinic.replica = nil
        let store = try await clinic.open()
        let (totals, lines) = try await store.read { db in
            guard try db.dictionary("SELECT 1 AS one FROM sqlite_master WHERE name = 'total'") != nil else {
                return (nil, nil) as ([String: SQLValue]?, [String: SQLValue]?)
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

/// An object store that replaces objects is found out before the first change.
@Suite struct ProbeTests {
    /// An object store that ignores whether a name is taken.
    final class Unconditional: WrappedObjectStore {
        let objects = MemoryObjectStore()
        var location: String { "unconditional" }

        func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
            objects.objects[name] = nil
            return try await objects.create(name, content)
        }
    }

    @Test func `no replica is begun where objects are replaced`() async throws {
        let objects = Unconditional()
        let store = try await Clinic(Replica(in: objects, interval: .milliseconds(5))).open()
        try await eventually { store.replication?.status.failure?.code == .objectStore }
        #expect(await failureCode { try await store.replication?.waitUntilShipped(timeout: .seconds(1)) } != nil)
        try await store.close()
        #expect(objects.objects.objects.isEmpty)
    }

    @Test func `with a lease the database is not opened there`() async throws {
        let objects = Unconditional()
        let replica = Replica(in: objects, lease: Lease(owner: "one", duration: .seconds(3_600)))
        #expect(await failureCode { _ = try await Stores(Clinic(replica)).open(Clinic.file) } == .objectStore)
    }

    @Test func `a replica is not taken over there`() async throws {
        let memory = MemoryObjectStore()
        let former = try await Clinic(Replica(in: memory)).open()
        try await former.add(1...1)
        try await former.close()
        let objects = Unconditional()
        objects.objects.objects = memory.objects
        let stores = try Stores(Clinic(Replica(in: objects)))
        #expect(await failureCode { _ = try await stores.takeOver(Clinic.file) } == .objectStore)
    }

    @Test func `the answer is remembered beside the database`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try Clinic(Replica(in: objects))
        for id in 1...3 as ClosedRange<Int64> {
            let store = try await clinic.open()
            try await store.ship(id...id)
            try await store.close()
        }
        #expect(objects.created.filter { $0.contains("probe") }.count == 1)
        #expect(!objects.objects.keys.contains { $0.contains("probe") })
    }
}
