import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// One file writes a replica.
@Suite struct OwnershipTests {
    /// Whether a store is told at its writes that it is no longer the writer.
    private func isTold(_ store: Store) async throws -> Bool {
        try await eventually { await failureCode { try await store.add(1...1) } == .notOwner }
        return true
    }

    @Test func `a host that was taken over is told at its next write`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects, interval: .milliseconds(10))
        let former = try await Clinic(replica).open()
        try await former.ship(1...10)

        let clinic = try Clinic(replica)
        let successor = try await Stores(clinic).takeOver(Clinic.file)
        #expect(try await successor.patients().count == 10)
        _ = try? await former.add(11...11, "Lost")
        #expect(try await isTold(former))
        try await successor.ship(12...12)
        try await former.close()
        try await successor.close()
        let restored = try await Clinic.restored(from: replica)
        #expect(Set(restored.keys) == Set(1...10).union([12]))
    }

    @Test func `a write that waits for the replica survives its host`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects)
        let former = try await Clinic(replica).open()
        for id in 1...30 as ClosedRange<Int64> {
            try await former.writeReplicated { db in
                try db.execute("INSERT INTO patient VALUES (\(id), 'Ann')")
            }
        }
        // The host is gone: nothing of it is asked or closed.
        let successor = try await Stores(Clinic(replica)).takeOver(Clinic.file)
        #expect(try await successor.patients().count == 30)
        try await successor.close()
        try? await former.close()
    }

    @Test func `a host that comes back does not overwrite its successor's state`() async throws {
        let replica = Replica(in: MemoryObjectStore())
        let clinic = try Clinic(replica)
        let former = try await clinic.open()
        try await former.ship(1...10)
        try await former.close()
        let successor = try await Stores(Clinic(replica)).takeOver(Clinic.file)
        try await successor.add(11...20)
        try await successor.close()
        let returned = try await Stores(clinic).open(Clinic.file)
        #expect(try await isTold(returned))
        #expect(returned.replication?.status.phase == .lost)
        try await returned.close()
        #expect(try await Clinic.restored(from: replica).count == 20)
    }

    @Test func `a number that is free because old states were removed is no commit`() async throws {
        let objects = MemoryObjectStore()
        let store = try await Clinic(Replica(in: objects, interval: .seconds(3_600))).open()
        try await store.replication?.waitUntilShipped()
        let newest = try #require(store.replication?.status.change)
        // As a successor leaves it that has shipped five changes and removed those before its base.
        func name(_ number: UInt64) -> String { "\(Clinic.file)/\(String(UInt64.max - number, radix: 16))" }
        objects.objects[name(newest + 5)] = objects.objects[name(newest)]
        try await store.add(1...1)
        #expect(await failureCode { try await store.replication?.waitUntilShipped() } == .notOwner)
        #expect(objects.objects[name(newest + 1)] != nil)
        try await store.close()
    }

    @Test func `another database does not get the replica of the first`() async throws {
        let replica = Replica(in: MemoryObjectStore(), folder: "shared")
        let first = try await Clinic(replica).open()
        try await first.add(1...10)
        try await first.close()
        let other = try await Stores(Clinic(replica)).open(Clinic.file)
        #expect(await failureCode { try await other.replication?.waitUntilShipped() } == .otherReplica)
        try await other.close()
        #expect(try await Clinic.restored(from: replica).count == 10)
        let allowed = try await Clinic(Replica(in: replica.objects, folder: "shared", takesOver: true)).open()
        try await allowed.add(1...3)
        try await allowed.close()
        #expect(try await Clinic.restored(from: replica).count == 3)
    }

    @Test func `only the host with the lease opens the database`() async throws {
        let objects = MemoryObjectStore()
        func replica(_ owner: String, _ duration: Duration = .seconds(3_600)) -> Replica {
            Replica(in: objects, lease: Lease(owner: owner, duration: duration, clockTolerance: .zero))
        }
        let first = try await Clinic(replica("one")).open()
        try await first.add(1...1)
        #expect(await failureCode { _ = try await Clinic(replica("two")).open() } == .notOwner)
        #expect(await failureCode { _ = try await Stores(Clinic(replica("two"))).takeOver(Clinic.file) } == .notOwner)
        try await first.close()
        // A store that closes gives the lease back.
        let second = try await Stores(Clinic(replica("two"))).takeOver(Clinic.file)
        #expect(try await second.patients().count == 1)
        try await second.close()
    }

    @Test func `a host without the object store refuses writes when its lease has ended`() async throws {
        let objects = MemoryObjectStore()
        let lease = Lease(owner: "one", duration: .seconds(3), clockTolerance: .zero)
        let store = try await Clinic(Replica(in: objects, interval: .milliseconds(20), lease: lease)).open()
        try await store.replication?.waitUntilShipped()
        objects.onCreate { _ in .refused }
        #expect(try await isTold(store))
        objects.onCreate { _ in .none }
        try await eventually { await failureCode { try await store.add(2...2) } == nil }
        try await store.close()
    }

    @Test func `of two hosts that take over at once one writes`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects, interval: .milliseconds(5))
        let former = try await Clinic(replica).open()
        try await former.ship(1...5)
        let stores = try await withThrowingTaskGroup(of: Store.self) { group in
            for _ in 0..<2 { group.addTask { try await Stores(Clinic(replica)).takeOver(Clinic.file) } }
            var stores: [Store] = []
            while let store = try await group.next() { stores.append(store) }
            return stores
        }
        var acknowledged: Set<Int64> = []
        for round in 0..<20 {
            for (index, store) in ([former] + stores).enumerated() {
                let id = Int64(100 + 10 * round + index)
                let result = await failureCode {
                    try await store.writeReplicated { db in
                        _ = try db.execute("INSERT INTO patient VALUES (\(id), 'Bob')")
                    }
                }
                if result == nil { acknowledged.insert(id) }
            }
        }
        #expect(Set(acknowledged.map { $0 % 10 }).count == 1)
        let restored = try await Clinic.restored(from: replica)
        #expect(acknowledged.isSubset(of: restored.keys))
        for store in stores + [former] { try? await store.close() }
    }
}

/// The network between a host and the object store is cut, another host takes over, and the network is back.
@Suite struct NetworkCutTests {
    @Test(arguments: [Network.End.carriedOut, .lost, .refused])
    func `the host that was cut off is told, and nothing acknowledged is lost`(end: Network.End) async throws {
        let objects = MemoryObjectStore()
        let network = Network(to: objects, end: end)
        let former = try await Clinic(Replica(in: network, interval: .milliseconds(5))).open()
        let acknowledged = Locked<[Int64]>([])
        let writer = Task {
            for id in 1... as PartialRangeFrom<Int64> {
                try await former.writeReplicated { db in
                    _ = try db.execute("INSERT INTO patient VALUES (\(id), 'Ann')")
                }
                acknowledged.withLock { $0.append(id) }
            }
        }
        try await eventually { acknowledged.withLock { $0.count } >= 20 }
        network.cut()
        let replica = Replica(in: objects, interval: .milliseconds(5))
        let successor = try await Stores(Clinic(replica)).takeOver(Clinic.file)
        let found = try await successor.patients()
        #expect(Set(acknowledged.withLock { $0 }).isSubset(of: found.keys))
        for id in 1_000_001...1_000_010 as ClosedRange<Int64> {
            try await successor.writeReplicated { db in
                _ = try db.execute("INSERT INTO patient VALUES (\(id), 'Bob')")
            }
        }
        network.heal()
        let failure = await writer.result
        #expect(throws: StrongroomError.self) { try failure.get() }
        try await eventually { await failureCode { try await former.add(1...1, "Lost") } == .notOwner }
        #expect(former.replication?.status.phase == .lost)

        try await successor.writeReplicated { db in
            _ = try db.execute("INSERT INTO patient VALUES (1000011, 'Bob')")
        }
        try await successor.close()
        try await former.close()
        let restored = try await Clinic.restored(from: replica)
        #expect(Set(restored.keys) == Set(found.keys).union(1_000_001...1_000_011))
        #expect(Set(acknowledged.withLock { $0 }).isSubset(of: restored.keys))
        #expect(!restored.values.contains("Lost"))
    }
}

/// The network between a host and an object store. Requests that are made while it is cut have no answer until it is
/// back.
final class Network: CarriedObjectStore {
    /// What happens then to requests that were under way.
    enum End: Sendable {
        /// They reach the object store late.
        case carriedOut
        /// They reach it late, and their answers are lost.
        case lost
        /// They never reach it.
        case refused
    }

    private struct State {
        var isCut = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let objects: MemoryObjectStore
    private let end: End
    private let state = Locked(State())

    init(to objects: MemoryObjectStore, end: End) { (self.objects, self.end) = (objects, end) }

    func cut() { state.withLock { $0.isCut = true } }

    func heal() {
        let waiting = state.withLock { state in
            state.isCut = false
            return state.waiting
        }
        for request in waiting { request.resume() }
    }

    func carry<T>(_ request: () async throws -> T) async throws -> T {
        guard await isDelayed() else { return try await request() }
        switch end {
        case .carriedOut: return try await request()
        case .lost:
            _ = try await request()
            throw StrongroomError(.outcomeUnknown, "The answer was lost.")
        case .refused: throw MemoryObjectStore.unreachable
        }
    }

    /// Waits while the network is cut.
    ///
    /// - Returns: Whether it was.
    private func isDelayed() async -> Bool {
        guard state.withLock({ $0.isCut }) else { return false }
        await withCheckedContinuation { continuation in
            let isCut = state.withLock { state in
                if state.isCut { state.waiting.append(continuation) }
                return state.isCut
            }
            if !isCut { continuation.resume() }
        }
        return true
    }
}

/// The right to write ends at a moment, whatever else the process does.
@Suite struct WriteDeadlineTests {
    private static let late = StrongroomError(.notOwner, "The lease has ended.")

    /// A moment that has passed by one clock, or by none.
    enum Clock: CaseIterable, Sendable {
        case monotonic, wall

        var passed: WriteDeadline {
            let hour = Duration.seconds(3_600)
            switch self {
            // The wall clock was put back.
            case .monotonic: return WriteDeadline(instant: .now - .seconds(1), time: WriteDeadline.time + 3_600_000)
            // The machine was paused.
            case .wall: return WriteDeadline(instant: .now + hour, time: WriteDeadline.time - 1)
            }
        }
    }

    private static var ahead: WriteDeadline {
        WriteDeadline(instant: .now + .seconds(3_600), time: WriteDeadline.time + 3_600_000)
    }

    @Test(arguments: Clock.allCases)
    func `a write after the deadline is refused`(clock: Clock) async throws {
        let store = try await Clinic().open()
        store.allowWrites(until: Self.ahead, then: Self.late)
        try await store.add(1...1)
        store.allowWrites(until: clock.passed, then: Self.late)
        #expect(await failureCode { try await store.add(2...2) } == .notOwner)
        store.allowWrites(until: nil, then: Self.late)
        #expect(await failureCode { try await store.add(3...3) } == .notOwner)
        #expect(try await store.patients().count == 1)
        store.allowWrites(until: Self.ahead, then: Self.late)
        try await store.add(4...4)
        try await store.close()
    }

    @Test(arguments: [WriteKind.shared, .immediate, .deferred])
    func `a write that begins in time and ends too late is undone`(kind: WriteKind) async throws {
        let store = try await Clinic().open()
        let isRefused = await failureCode {
            try await store.write(as: kind) { db in
                try db.execute("INSERT INTO patient VALUES (1, 'Ann')")
                store.allowWrites(until: Clock.monotonic.passed, then: Self.late)
            }
        }
        #expect(isRefused == .notOwner)
        #expect(try await store.patients().isEmpty)
        store.allowWrites(until: Self.ahead, then: Self.late)
        try await store.add(2...2)
        #expect(try await store.patients().count == 1)
        try await store.close()
    }

    @Test func `writes that share a transaction fail together when it ends too late`() async throws {
        let store = try await Clinic().open()
        let outcomes = await withTaskGroup(of: StrongroomError.Code?.self) { group in
            for id in 1...8 as ClosedRange<Int64> {
                group.addTask {
                    await failureCode {
                        try await store.write { db in
                            try db.execute("INSERT INTO patient VALUES (\(id), 'Ann')")
                            store.allowWrites(until: Clock.wall.passed, then: Self.late)
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == .notOwner })
        #expect(try await store.patients().isEmpty)
        try await store.close()
    }

    @Test func `a store that has lost its right gets it back by no deadline`() async throws {
        let store = try await Clinic().open()
        store.refuseWrites(StrongroomError(.notOwner, "Another host writes."))
        store.allowWrites(until: Self.ahead, then: Self.late)
        #expect(await failureCode { try await store.add(1...1) } == .notOwner)
        try await store.close()
    }
}
