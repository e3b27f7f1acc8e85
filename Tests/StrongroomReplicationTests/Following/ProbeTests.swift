import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// An object store that replaces objects is found out before the first change.
@Suite struct ProbeTests {
    /// An object store that ignores whether a name is taken.
    final class Unconditional: WrappedObjectStore {
        let objects = MemoryObjectStore()
        var place: String { "unconditional" }

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
            try await store.add(id...id)
            try await store.replication?.waitUntilShipped()
            try await store.close()
        }
        #expect(objects.created.filter { $0.contains("probe") }.count == 1)
        #expect(!objects.objects.keys.contains { $0.contains("probe") })
    }
}
