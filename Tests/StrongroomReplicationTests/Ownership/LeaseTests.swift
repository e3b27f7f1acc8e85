import Foundation
import Strongroom
@testable import StrongroomReplication
import StrongroomTesting
import Testing

/// Only who has the lease, and the newest state, writes.
@Suite struct LeaseTests {
    private func replica(_ objects: any ObjectStore, _ owner: String, _ duration: Duration = .seconds(3)) -> Replica {
        Replica(
            in: objects, interval: .milliseconds(20),
            lease: Lease(owner: owner, duration: duration, clockTolerance: .zero))
    }

    private func leases(_ objects: MemoryObjectStore) -> [String] { objects.created.filter { $0.contains("/lease/") } }

    @Test func `a lease that another host had in between does not bring the old file back`() async throws {
        let objects = MemoryObjectStore()
        let cable = Cable(to: objects)
        let former = try await Clinic(replica(cable, "one")).open()
        try await former.ship(1...1)
        cable.isCut = true
        try await eventually { await failureCode { try await former.add(2...2, "Lost") } == .notOwner }
        let between = try await Stores(Clinic(replica(objects, "two", .seconds(3_600)))).takeOver(Clinic.file)
        try await between.writeReplicated { db in _ = try db.execute("INSERT INTO patient VALUES (100, 'Bob')") }
        try await between.close()
        cable.isCut = false
        var acknowledged = 0
        try await eventually {
            if await failureCode({ try await former.add(3...3, "Lost") }) == nil { acknowledged += 1 }
            return former.replication?.status.phase == .lost
        }
        #expect(acknowledged == 0)
        try await former.close()
        // The lease that the former host may have had again is given back: nobody has to wait for its end.
        try await eventually { objects.objects[leases(objects).last ?? ""]?[8..<16].allSatisfy { $0 == 0 } == true }
        #expect(try await Clinic.restored(from: replica(objects, "three")) == [1: "Ann", 100: "Bob"])
    }

    @Test func `a host that nobody has replaced writes again when it has its lease back`() async throws {
        let objects = MemoryObjectStore()
        let cable = Cable(to: objects)
        let store = try await Clinic(replica(cable, "one")).open()
        try await store.ship(1...1)
        cable.isCut = true
        try await eventually { await failureCode { try await store.add(2...2) } == .notOwner }
        cable.isCut = false
        try await eventually { await failureCode { try await store.add(3...3) } == nil }
        try await store.close()
        #expect(Set(try await Clinic.restored(from: replica(objects, "two")).keys).isSuperset(of: [1, 3]))
    }

    @Test func `with a lease a file that was taken over is not opened`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try Clinic(replica(objects, "one", .seconds(3_600)))
        let former = try await clinic.open()
        try await former.add(1...1)
        try await former.close()
        let successor = try await Stores(Clinic(replica(objects, "two", .seconds(3_600)))).takeOver(Clinic.file)
        try await successor.add(2...2)
        try await successor.close()
        #expect(await failureCode { _ = try await Stores(clinic).open(Clinic.file) } == .notOwner)
    }

    @Test func `a takeover keeps its lease while it restores`() async throws {
        let objects = MemoryObjectStore()
        let former = try await Clinic(Replica(in: objects)).open()
        try await former.add(1...1)
        try await former.close()
        let slow = Cable(to: objects)
        // The restore takes as long as two prolongations of the lease.
        slow.whenReading { name in
            guard name.contains("/base/") else { return }
            for _ in 0..<200 where objects.created.filter({ $0.contains("/lease/") }).count < 3 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        let store = try await Stores(Clinic(replica(slow, "two", .seconds(1)))).takeOver(Clinic.file)
        #expect(leases(objects).count >= 3)
        #expect(try await store.patients().count == 1)
        try await store.close()
    }

    @Test func `a lease is given back when the database cannot be opened`() async throws {
        let objects = MemoryObjectStore()
        try await Clinic(replica(objects, "one", .seconds(3_600))).open().close()
        // A file that no key opens.
        let broken = try Clinic(replica(objects, "two", .seconds(3_600)))
        try Data(repeating: 1, count: 8_192).write(to: URL(filePath: broken.path))
        #expect(await failureCode { _ = try await Stores(broken).open(Clinic.file) } != nil)
        let successor = try await Stores(Clinic(replica(objects, "three", .seconds(3_600)))).takeOver(Clinic.file)
        try await successor.close()
    }

    @Test func `a lease is given back when a takeover fails`() async throws {
        let objects = MemoryObjectStore()
        let former = try await Clinic(Replica(in: objects)).open()
        try await former.add(1...1)
        try await former.close()
        var stranger = try Clinic(replica(objects, "one", .seconds(3_600)))
        stranger.keys = [.raw(Clinic.key(2))]
        #expect(await failureCode { _ = try await Stores(stranger).takeOver(Clinic.file) } != nil)
        let successor = try await Stores(Clinic(replica(objects, "two", .seconds(3_600)))).takeOver(Clinic.file)
        #expect(try await successor.patients() == [1: "Ann"])
        try await successor.close()
    }

    @Test func `an opening that fails takes no lease from another store of the host`() async throws {
        let objects = MemoryObjectStore()
        let store = try await Clinic(replica(objects, "one", .seconds(3_600))).open()
        let broken = try Clinic(replica(objects, "one", .seconds(3_600)))
        try Data(repeating: 1, count: 8_192).write(to: URL(filePath: broken.path))
        let before = leases(objects)
        #expect(await failureCode { _ = try await Stores(broken).open(Clinic.file) } != nil)
        #expect(leases(objects) == before)
        try await store.close()
    }

    @Test func `a lease of one's own from a clock that was put back is prolonged`() async throws {
        let objects = MemoryObjectStore()
        let first = try await Clinic(replica(objects, "one", .seconds(3_600))).open()
        let lease = try #require(leases(objects).last)
        var bytes = try #require(objects.objects[lease]).dropLast(32).map(\.self)
        try await first.close()
        // The end of it is in ten hours.
        let end = UInt64(Date().timeIntervalSince1970 * 1_000) + 36_000_000
        bytes.replaceSubrange(8..<16, with: withUnsafeBytes(of: end.bigEndian) { [UInt8]($0) })
        objects.objects = [lease: bytes + Digests.sha256(bytes)]
        let before = leases(objects).count
        let store = try await Clinic(replica(objects, "one", .seconds(3_600))).open()
        #expect(leases(objects).count > before)
        try await store.close()
    }

    @Test func `two machines of one name do not have a lease together`() async throws {
        let folder = ReplicaFolder(objects: MemoryObjectStore(), name: "clinic")
        func leases(_ start: String) -> Leases {
            Leases(folder: folder, lease: Lease(owner: "host", duration: .seconds(3_600)), start: start)
        }
        let held = try await leases("one").acquire()
        // Another process of the machine has it, too.
        #expect(try await !leases("one").acquire().isNew)
        #expect(await failureCode { _ = try await leases("two").acquire() } == .notOwner)
        try await leases("two").release()
        #expect(await failureCode { _ = try await leases("two").acquire() } == .notOwner)
        try await leases("one").release()
        #expect(try await leases("two").acquire().isNew)
        #expect(await failureCode { _ = try await leases("one").acquire(after: held) } == .notOwner)
    }

    /// Occupies every thread of Swift's tasks until a flag is set, which a thread of its own does.
    private func whileTasksAreBusy(_ work: @escaping @Sendable () -> Void) async {
        let isDone = Locked(false)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<(2 * ProcessInfo.processInfo.activeProcessorCount) {
                group.addTask { @concurrent in while !isDone.withLock({ $0 }) {} }
            }
            Thread.detachNewThread {
                work()
                isDone.withLock { $0 = true }
            }
        }
    }

    @Test func `a lease ends while all threads of tasks are busy`() async throws {
        let objects = MemoryObjectStore()
        let store = try await Clinic(replica(objects, "one")).open()
        try await store.replication?.waitUntilShipped()
        objects.onCreate { _ in .refused }
        let refusal = Locked<StrongroomError.Code?>(nil)
        await whileTasksAreBusy {
            let limit = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < limit, refusal.withLock({ $0 }) == nil {
                do {
                    try store.write { db in _ = try db.execute("INSERT INTO patient (name) VALUES ('Ann')") }
                } catch { refusal.withLock { $0 = (error as? StrongroomError)?.code } }
            }
        }
        #expect(refusal.withLock { $0 } == .notOwner)
        objects.onCreate { _ in .none }
        try await store.close()
    }

    @Test func `a lease is prolonged while all threads of tasks are busy`() async throws {
        let objects = MemoryObjectStore()
        let store = try await Clinic(replica(objects, "one")).open()
        try await store.replication?.waitUntilShipped()
        let before = leases(objects).count
        await whileTasksAreBusy {
            let limit = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < limit, objects.created.filter({ $0.contains("/lease/") }).count < before + 3 {
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
        #expect(leases(objects).count >= before + 3)
        try await store.close()
    }
}

/// A connection to an object store that can be cut: requests fail at once then.
final class Cable: CarriedObjectStore {
    private struct State {
        var isCut = false
        var reading: @Sendable (String) async throws -> Void = { _ in }
    }

    let objects: MemoryObjectStore
    private let state = Locked(State())

    init(to objects: MemoryObjectStore) { self.objects = objects }

    var isCut: Bool {
        get { state.withLock { $0.isCut } }
        set { state.withLock { $0.isCut = newValue } }
    }

    func whenReading(_ body: @escaping @Sendable (String) async throws -> Void) {
        state.withLock { $0.reading = body }
    }

    func carry<T>(_ request: () async throws -> T) async throws -> T {
        if isCut { throw MemoryObjectStore.unreachable }
        return try await request()
    }

    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        try await carry {
            try await state.withLock { $0.reading }(name)
            return try await objects.read(name, range)
        }
    }
}
