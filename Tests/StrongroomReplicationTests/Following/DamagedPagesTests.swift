import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// What the disk has damaged is not shipped.
@Suite struct DamagedPagesTests {
    /// How a page is damaged.
    enum Damage: CaseIterable, Sendable {
        case zeros, otherVector, content
    }

    /// A page with rows.
    private static let page = 30

    /// A database of which each page is in the replica, and the size of its pages.
    private func shipped(_ replica: Replica) async throws -> (Clinic, pageSize: Int) {
        let clinic = try Clinic(replica)
        let store = try await clinic.open()
        try await store.add(1...3_000, String(repeating: "x", count: 100))
        try await store.replication?.waitUntilShipped()
        try await store.close()
        return (clinic, try CipherSettings.engineDefault().pageSize)
    }

    private func damage(_ clinic: Clinic, _ size: Int, _ damage: Damage) throws {
        let file = try FileHandle(forUpdating: URL(filePath: clinic.path))
        let offset = UInt64((Self.page - 1) * size)
        switch damage {
        case .zeros:
            try file.seek(toOffset: offset)
            try file.write(contentsOf: [UInt8](repeating: 0, count: size))
        case .otherVector:
            try file.seek(toOffset: offset + UInt64(size - 80))
            try file.write(contentsOf: [UInt8](repeating: 7, count: 80))
        case .content:
            // The vector is as it was, so the page does not differ from that of the replica.
            try file.seek(toOffset: offset + 100)
            try file.write(contentsOf: [UInt8](repeating: 7, count: 16))
        }
        try file.close()
    }

    @Test(arguments: Damage.allCases)
    func `a damaged page does not become the newest state`(kind: Damage) async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects)
        let (clinic, size) = try await shipped(replica)
        try damage(clinic, size, kind)
        let before = objects.created.count
        let store = try await clinic.open()
        let failure = await failure { try await store.replication?.waitUntilShipped(timeout: .seconds(60)) }
        if kind != .content {
            #expect(failure?.code == .damaged)
            #expect(failure?.message.contains("page \(Self.page)") == true)
            #expect(store.replication?.status.phase == .failing)
            #expect(store.replication?.status.failure?.code == .damaged)
            #expect(objects.created.count == before)
        }
        try await store.close()
        #expect(try await Clinic.restored(from: replica).count == 3_000)
    }

    @Test func `a write that waits for a replica of a damaged file fails by name, and the file keeps it`() async throws
    {
        let replica = Replica(in: MemoryObjectStore())
        let (clinic, size) = try await shipped(replica)
        try damage(clinic, size, .zeros)
        let store = try await clinic.open()
        let failure = await failure {
            try await store.writeReplicated(timeout: .seconds(60)) { db in
                _ = try db.execute("INSERT INTO patient VALUES (100000, 'Bob')")
            }
        }
        #expect(failure?.code == .damaged)
        let names = try await store.read { db in
            try db.dictionaries("SELECT name FROM patient WHERE id = 100000").count
        }
        #expect(names == 1)
        try await store.close()
    }

    @Test func `a restore of damaged pages names an earlier state`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects)
        let (_, size) = try await shipped(replica)
        // As an earlier version could ship it: the object is sound, and a page in it is not.
        let part = try #require(objects.created.last)
        var bytes = try #require(objects.objects[part])
        bytes[bytes.count - 32 - size / 2] ^= 1
        objects.objects[part] = bytes.dropLast(32) + Digests.sha256(Array(bytes.dropLast(32)))
        let failure = await failure { _ = try await Clinic.restored(from: replica) }
        #expect(failure?.code == .replicaDamaged)
        #expect(failure?.message.contains("--at") == true)
        #expect(failure?.message.contains(".restoring") == false)
    }

    private func failure(_ body: () async throws -> Void) async -> StrongroomError? {
        do {
            try await body()
            return nil
        } catch { return error as? StrongroomError }
    }
}
