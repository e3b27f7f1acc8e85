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
}

/// What is acknowledged can be restored, whatever the object store has lost.
@Suite struct GapTests {
    private func write(_ id: Int64, in store: Store) async throws {
        try await store.writeReplicated(timeout: .seconds(60)) { db in
            _ = try db.execute("INSERT INTO patient VALUES (\(id), 'Ann')")
        }
    }

    /// The changes of a replica, the newest first.
    private func changes(_ objects: MemoryObjectStore) -> [String] {
        objects.objects.keys.filter { $0.hasPrefix("\(Clinic.file)/f") }.sorted()
    }

    @Test func `no write is acknowledged over a missing change`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects, interval: .milliseconds(5))
        let store = try await Clinic(replica).open()
        for id in 1...5 as ClosedRange<Int64> { try await write(id, in: store) }
        objects.objects[try #require(changes(objects).first)] = nil
        for id in 6...8 as ClosedRange<Int64> {
            try await write(id, in: store)
            #expect(try await Clinic.restored(from: replica).count == id)
        }
        try await store.close()
    }

    @Test func `a change that vanishes further back is found while the store is open`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects, interval: .milliseconds(1))
        let store = try await Clinic(replica).open()
        for id in 1...8 as ClosedRange<Int64> { try await write(id, in: store) }
        func bases() -> Int { objects.created.count { $0.contains("/base/") } }
        #expect(bases() == 1)
        // Behind two sound ones.
        objects.objects[changes(objects)[2]] = nil
        var last: Int64 = 8
        while bases() == 1, last < 600 {
            last += 1
            try await write(last, in: store)
        }
        #expect(bases() > 1)
        #expect(try await Clinic.restored(from: replica).count == Int(last))
        try await store.close()
    }

    /// A database and a directory for its replica that can be taken away, as by `umount`.
    private struct Mounted {
        let directory: TemporaryDirectory
        let clinic: Clinic
        var path: String { directory.path("replicas") }
        var away: String { directory.path("away") }

        init(takesOver: Bool = false) throws {
            directory = try TemporaryDirectory()
            let objects = DirectoryObjectStore(directory.path("replicas"))
            clinic = try Clinic(Replica(in: objects, interval: .milliseconds(5), takesOver: takesOver))
        }

        /// The bare mount point is what is left.
        func unmount() throws {
            try FileManager.default.moveItem(atPath: path, toPath: away)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }

        func mount() throws {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: away, toPath: path)
        }

        var isBare: Bool { get throws { try FileManager.default.contentsOfDirectory(atPath: path).isEmpty } }
    }

    @Test func `nothing is acknowledged into a directory that is away`() async throws {
        let mounted = try Mounted()
        let store = try await mounted.clinic.open()
        try await write(1, in: store)
        try mounted.unmount()
        let failed = await failure {
            try await store.writeReplicated(timeout: .seconds(2)) { db in
                _ = try db.execute("INSERT INTO patient VALUES (2, 'Ann')")
            }
        }
        #expect(failed != nil)
        try await eventually { store.replication?.status.failure != nil }
        #expect(try mounted.isBare)
        try mounted.mount()
        try await eventually { await failure { try await store.replication?.waitUntilShipped() } == nil }
        let replica = try #require(mounted.clinic.replica)
        #expect(try await Clinic.restored(from: replica).count == 2)
        try await store.close()
    }

    @Test func `an opening while the directory is away begins no new replica`() async throws {
        let mounted = try Mounted()
        let first = try await mounted.clinic.open()
        // Nothing but the claim and the base.
        try await first.replication?.waitUntilShipped()
        try await first.close()
        try mounted.unmount()
        let store = try await mounted.clinic.open()
        let failed = await failure { try await store.replication?.waitUntilShipped(timeout: .seconds(60)) }
        #expect(failed?.code == .replicaMissing)
        #expect(try mounted.isBare)
        try await store.close()
        #expect(try mounted.isBare)
        try mounted.mount()
        let again = try await mounted.clinic.open()
        try await write(1, in: again)
        try await again.close()
    }

    @Test func `by request a database begins anew where its replica is gone`() async throws {
        let objects = MemoryObjectStore()
        var clinic = try Clinic(Replica(in: objects))
        let first = try await clinic.open()
        try await write(1, in: first)
        try await first.close()
        objects.objects = [:]
        let refused = try await clinic.open()
        let failed = await failure { try await refused.replication?.waitUntilShipped(timeout: .seconds(60)) }
        #expect(failed?.code == .replicaMissing)
        try await refused.close()
        #expect(objects.objects.isEmpty)
        clinic.replica?.takesOver = true
        let store = try await clinic.open()
        try await write(2, in: store)
        try await store.close()
        let replica = try #require(clinic.replica)
        #expect(try await Clinic.restored(from: replica).count == 2)
    }

    @Test func `a replica that has lost its newest changes is not continued`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try Clinic(Replica(in: objects, interval: .milliseconds(5)))
        let store = try await clinic.open()
        for id in 1...5 as ClosedRange<Int64> { try await write(id, in: store) }
        try await store.close()
        for name in changes(objects).prefix(3) { objects.objects[name] = nil }
        let again = try await clinic.open()
        let failed = await failure { try await again.replication?.waitUntilShipped(timeout: .seconds(60)) }
        #expect(failed?.code == .replicaMissing)
        try await again.close()
    }
}
