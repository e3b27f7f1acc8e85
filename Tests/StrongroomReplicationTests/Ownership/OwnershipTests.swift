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
        try await former.add(1...10)
        try await former.replication?.waitUntilShipped()

        let clinic = try Clinic(replica)
        let successor = try await Stores(clinic).takeOver(Clinic.file)
        #expect(try await successor.patients().count == 10)
        _ = try? await former.add(11...11, "Lost")
        #expect(try await isTold(former))
        try await successor.add(12...12)
        try await successor.replication?.waitUntilShipped()
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
        try await former.add(1...10)
        try await former.replication?.waitUntilShipped()
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
        try await former.add(1...5)
        try await former.replication?.waitUntilShipped()
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
