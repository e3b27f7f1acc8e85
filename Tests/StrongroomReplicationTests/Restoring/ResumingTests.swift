import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// A restore that was interrupted goes on where it was.
@Suite struct ResumingTests {
    /// A replica with a base of several parts, and changes.
    private func filled(_ objects: MemoryObjectStore) async throws -> Replica {
        let replica = Replica(in: objects)
        let plain = try Clinic()
        let first = try await plain.open()
        // Parts have 4 MB.
        try await first.add(1...40_000, String(repeating: "x", count: 500))
        try await first.close()
        var clinic = plain
        clinic.replica = replica
        let store = try await clinic.open()
        try await store.replication?.waitUntilShipped()
        for id in 1...12 as ClosedRange<Int64> {
            try await store.ship(id...id, "Bob")
        }
        try await store.close()
        return replica
    }

    /// Begins a restore that an object store interrupts.
    private func interruptRestore(_ stores: Stores, _ objects: MemoryObjectStore) async throws {
        await #expect(throws: StrongroomError.self) {
            let failing = FailingReads(of: objects, failsAfter: 40)
            try await stores.restore(Clinic.file, from: Replica(in: failing, folder: Clinic.file), to: .newest)
        }
    }

    private func names(_ clinic: Clinic) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: clinic.directory.path("")).sorted()
    }

    @Test func `what was read is not read again`() async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects)
        let whole = FailingReads(of: objects, failsAfter: .max)
        #expect(try await Clinic.restored(from: Replica(in: whole, folder: Clinic.file)).count == 40_000)

        let clinic = try Clinic()
        let stores = try Stores(clinic)
        var (bytes, attempts) = (0, 0)
        // Each attempt is interrupted some reads later than the one before.
        for limit in stride(from: 10, through: 10_000, by: 3) {
            let failing = FailingReads(of: objects, failsAfter: limit)
            attempts += 1
            do {
                try await stores.restore(Clinic.file, from: Replica(in: failing, folder: Clinic.file), to: .newest)
                bytes += failing.bytes
                break
            } catch let error as StrongroomError where error.code == .objectStoreUnreachable {
                bytes += failing.bytes
            }
        }
        #expect(attempts > 3)
        #expect(try await clinic.patients().values.count { $0 == "Bob" } == 12)
        // Besides the headers that each attempt looks at, and the objects beside the one that failed.
        #expect(bytes < 2 * whole.bytes + attempts * 9 << 20)
        #expect(bytes < attempts * whole.bytes / 2)
        #expect(try names(clinic).allSatisfy { !$0.contains("restoring") && !$0.contains("fetched") })
        _ = replica
    }

    @Test(arguments: [false, true]) func `what was left is not taken for what it is not`(isForeign: Bool) async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects)
        let clinic = try Clinic()
        let stores = try Stores(clinic)
        try await interruptRestore(stores, objects)
        let partial = clinic.directory.path(".\(Clinic.file).restoring")
        if isForeign {
            // Another file of the same name.
            let copy = clinic.directory.path("copy")
            try FileManager.default.copyItem(atPath: partial, toPath: copy)
            try FileManager.default.removeItem(atPath: partial)
            try FileManager.default.moveItem(atPath: copy, toPath: partial)
        } else {
            let file = try #require(FileHandle(forUpdatingAtPath: partial))
            try file.seek(toOffset: 100_000)
            try file.write(contentsOf: Data([1, 2, 3]))
            try file.close()
            // The page's authentication code is wrong, and nothing is kept then.
            await #expect(throws: StrongroomError.self) {
                try await stores.restore(Clinic.file, from: replica, to: .newest)
            }
            #expect(try !names(clinic).contains(".\(Clinic.file).restoring"))
        }
        try await stores.restore(Clinic.file, from: replica, to: .newest)
        #expect(try await clinic.patients().count == 40_000)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make files of other users"))
    func `what another user has left is not gone on with`() async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects)
        let clinic = try Clinic()
        let stores = try Stores(clinic)
        try await interruptRestore(stores, objects)
        for ending in ["restoring", "fetched"] {
            #expect(chown(clinic.directory.path(".\(Clinic.file).\(ending)"), 65_534, 65_534) == 0)
        }
        try await stores.restore(Clinic.file, from: replica, to: .newest)
        let attributes = try FileManager.default.attributesOfItem(atPath: clinic.path)
        #expect(attributes[.ownerAccountID] as? Int == Int(geteuid()))
        #expect(try await clinic.patients().count == 40_000)
    }

    @Test func `opening the database removes what was left`() async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects)
        let clinic = try Clinic()
        let stores = try Stores(clinic)
        try await stores.restore(Clinic.file, from: replica, to: .newest)
        try await interruptRestore(stores, objects)
        #expect(try names(clinic).contains(".\(Clinic.file).fetched"))
        #expect(try await clinic.patients().count == 40_000)
        #expect(try names(clinic).allSatisfy { !$0.contains("restoring") && !$0.contains("fetched") })
    }
}

/// An object store that cannot be read any more after some reads.
private final class FailingReads: WrappedObjectStore {
    let objects: MemoryObjectStore
    private let limit: Int
    private let state = Locked((reads: 0, bytes: 0))

    init(of objects: MemoryObjectStore, failsAfter limit: Int) { (self.objects, self.limit) = (objects, limit) }

    /// What was read.
    var bytes: Int { state.withLock { $0.bytes } }

    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        let content = try await objects.read(name, range)
        let isFailing = state.withLock { state in
            state.reads += 1
            state.bytes += content?.count ?? 0
            return state.reads > limit
        }
        if isFailing { throw MemoryObjectStore.unreachable }
        return content
    }
}

/// A replica of another database, with the same keys.
@Suite struct OtherReplicaTests {
    private static let other = "clinic_b.sqlite"

    private func clinic(_ replica: Replica? = nil) throws -> Clinic {
        var clinic = try Clinic(replica)
        clinic.migrator = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE patient (id INTEGER PRIMARY KEY, name TEXT)") }
        }
        return clinic
    }

    @Test func `it is restored only if it is named`() async throws {
        let objects = MemoryObjectStore()
        let store = try await clinic(Replica(in: objects)).open()
        try await store.ship(1...3)
        try await store.close()

        let host = try clinic()
        let stores = try Stores(host)
        // As if the folder of this one was written in the location of the other's.
        let misplaced = Replica(in: objects, folder: Clinic.file)
        let error = await #expect(throws: StrongroomError.self) {
            try await stores.restore(Self.other, from: misplaced, to: .newest)
        }
        #expect(error?.code == .otherDatabase)
        #expect(error?.message.contains("The state of the replica") == true)
        #expect(!FileManager.default.fileExists(atPath: host.directory.path(Self.other)))

        try await stores.restore(Self.other, from: Replica(in: objects), to: .newest, adoptingFrom: Clinic.file)
        let restored = try await stores.open(Self.other)
        #expect(try await restored.read { db in try db.value("SELECT count(*) FROM patient", as: Int.self) } == 3)
        try await restored.close()
    }

    /// Earlier states of the replica would be refused alike.
    @Test func `a file that cannot be opened is not taken for the replica's state`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try clinic(Replica(in: objects))
        let store = try await clinic.open()
        try await store.ship(1...3)
        try await store.close()
        let path = clinic.directory.path(Clinic.file)
        let size = try Data(contentsOf: URL(filePath: path)).count
        try Data(repeating: 7, count: size).write(to: URL(filePath: path))

        let error = await #expect(throws: StrongroomError.self) {
            try await Stores(clinic).restore(Clinic.file, from: Replica(in: objects), to: .newest)
        }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains("is not replaced") == true)
    }
}

/// A replica whose key the host does not have.
@Suite struct RestoringKeysTests {
    @Test(arguments: [KeyProtection.direct, .envelope])
    func `the error names the replica, and nothing is left`(protection: KeyProtection) async throws {
        let replica = Replica(in: MemoryObjectStore())
        var clinic = try Clinic(replica)
        clinic.protection = protection
        let store = try await clinic.open()
        try await store.ship(1...3)
        try await store.close()

        var host = try Clinic()
        host.keys = [.raw(Clinic.key(9))]
        host.protection = protection
        let stores = try Stores(host)
        let error = await #expect(throws: StrongroomError.self) {
            try await stores.restore(Clinic.file, from: replica, to: .newest)
        }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains("the state of the replica") == true)
        #expect(error?.message.contains("restoring") == false)
        let names = try FileManager.default.contentsOfDirectory(atPath: host.directory.path(""))
        // Only the file of the lock against other openings may be left.
        #expect(names.allSatisfy { $0 != Clinic.file && !$0.hasSuffix(".keys") && !$0.hasSuffix(".restoring") })
        #expect(names.count <= 1)
    }

    @Test func `a state with an envelope replaces a file that has none`() async throws {
        let replica = Replica(in: MemoryObjectStore())
        var clinic = try Clinic(replica)
        clinic.protection = .envelope
        let store = try await clinic.open()
        try await store.ship(1...3)
        try await store.close()

        let host = try Clinic()
        let former = try await host.open()
        try await former.add(9...9)
        try await former.close()
        try await Stores(host).restore(Clinic.file, from: replica, to: .newest)
        #expect(try await host.patients().keys.sorted() == [1, 2, 3])
        let names = try FileManager.default.contentsOfDirectory(atPath: host.directory.path("")).filter {
            $0.contains(".keys")
        }
        #expect(names.sorted() == ["\(Clinic.file).keys", "\(Clinic.file).keys.copy"])
    }
}
