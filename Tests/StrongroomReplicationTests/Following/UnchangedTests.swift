import Foundation
import Strongroom
import StrongroomTesting
import Testing

// Internal: the look at a replica after a change.
@testable import StrongroomReplication

/// A file that has not changed since its replica's newest change costs one list.
@Suite struct UnchangedTests {
    /// A host whose replica has what the database has.
    private func shipped(_ objects: MemoryObjectStore, folder: String? = nil) async throws -> Clinic {
        let clinic = try Clinic(Replica(in: objects, folder: folder, interval: .milliseconds(10)))
        let store = try await clinic.open()
        try await store.add(1...10)
        try await store.close()
        return clinic
    }

    /// The number of requests while a store is opened, its replica has everything, and it is closed.
    private func requests(_ clinic: Clinic, _ objects: MemoryObjectStore) async throws -> Int {
        let before = objects.requests
        let store = try await Stores(clinic).open(Clinic.file)
        try await store.replication?.waitUntilShipped()
        try await store.close()
        return objects.requests - before
    }

    @Test func `a store whose file did not change costs one request`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try await shipped(objects)
        for _ in 0..<3 { #expect(try await requests(clinic, objects) == 1) }
    }

    @Test func `its first commit is shipped`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try await shipped(objects)
        let store = try await Stores(clinic).open(Clinic.file)
        try await store.replication?.waitUntilShipped()
        #expect(store.replication?.status.phase == .following && (store.replication?.status.change ?? 0) > 0)
        try await store.ship(11...11)
        try await store.add(12...12)
        try await store.close()
        #expect(try await Clinic.restored(from: try #require(clinic.replica)).count == 12)
        #expect(try await requests(clinic, objects) == 1)
    }

    @Test(arguments: [0, 1, 2, 3]) func `a file that may have changed is compared`(way: Int) async throws {
        let objects = MemoryObjectStore()
        let clinic = try await shipped(objects)
        var other = clinic
        other.replica = nil
        switch way {
        case 0:
            let store = try await other.open()
            try await store.add(5...5, "Bob")
            try await store.close()
        case 1:
            // The same content and times, and another file.
            try FileManager.default.copyItem(atPath: clinic.path, toPath: clinic.path + ".copy")
            try FileManager.default.removeItem(atPath: clinic.path)
            try FileManager.default.moveItem(atPath: clinic.path + ".copy", toPath: clinic.path)
        case 2:
            // Commits in a WAL that was not checkpointed.
            let store = try await other.open()
            try await store.add(5...5, "Bob")
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: clinic.path + ending, toPath: clinic.path + ".copy" + ending)
            }
            try await store.close()
            for ending in ["", "-wal"] {
                try? FileManager.default.removeItem(atPath: clinic.path + ending)
                try FileManager.default.moveItem(atPath: clinic.path + ".copy" + ending, toPath: clinic.path + ending)
            }
        default:
            try await Stores(clinic).restore(Clinic.file, from: clinic.replica, to: .newest)
        }
        #expect(try await requests(clinic, objects) > 1)
        let restored = try await Clinic.restored(from: try #require(clinic.replica))
        #expect(restored == (try await other.patients()))
        #expect(try await requests(clinic, objects) == 1)
    }

    @Test func `a changed envelope is shipped`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects)
        var clinic = try Clinic(replica)
        clinic.protection = .envelope
        clinic.settings.rotation = .manual
        try await clinic.open().close()
        #expect(try await requests(clinic, objects) == 1)
        var other = clinic
        other.replica = nil
        other.keys.append(.raw(Clinic.key(2)))
        let store = try await Stores(other).open(Clinic.file)
        try await store.rotate()
        try await store.close()
        clinic.keys = other.keys
        #expect(try await requests(clinic, objects) > 1)
        let restored = try await Clinic.restored(
            from: replica, keys: [.raw(Clinic.key(2))], protection: .envelope)
        #expect(restored.isEmpty)
    }

    @Test func `a host that was taken over is told though its file did not change`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try await shipped(objects)
        let successor = try await Stores(Clinic(clinic.replica)).takeOver(Clinic.file)
        try await successor.close()
        let store = try await Stores(clinic).open(Clinic.file)
        await #expect(throws: StrongroomError.self) { try await store.replication?.waitUntilShipped() }
        #expect(store.replication?.status.phase == .lost)
        try await store.close()
    }

    @Test func `a host that is taken over while its file does not change is told at its first commit`() async throws {
        let objects = MemoryObjectStore()
        let clinic = try await shipped(objects)
        let store = try await Stores(clinic).open(Clinic.file)
        try await store.replication?.waitUntilShipped()
        let successor = try await Stores(Clinic(clinic.replica)).takeOver(Clinic.file)
        try await store.add(11...11, "Lost")
        await #expect(throws: StrongroomError.self) { try await store.replication?.waitUntilShipped() }
        #expect(store.replication?.status.phase == .lost)
        try await store.close()
        try await successor.close()
        #expect(try await Clinic.restored(from: try #require(clinic.replica)).count == 10)
    }

    // MARK: Many files

    @Test func `files that did not change share lists, and a changed one among them is found`() async throws {
        let objects = MemoryObjectStore()
        var clinics: [(name: String, clinic: Clinic)] = []
        let names = ["a", "a-b", "a.b", "ä", "b", "c0", "ca", "d", "tenants/e", "z"]
        for name in names { clinics.append((name, try await shipped(objects, folder: name))) }
        func unchanged() async throws -> [String] {
            let lists = ReplicaLists()
            return try await withThrowingTaskGroup(of: String?.self) { group in
                for (name, clinic) in clinics {
                    group.addTask {
                        let replica = try #require(clinic.replica)
                        let file = try DatabaseName(Clinic.file)
                        return try await replica.unchangedSince(file, in: Stores(clinic), by: lists).map { _ in name }
                    }
                }
                return try await group.reduce(into: []) { found, name in found += name.map { [$0] } ?? [] }
            }
        }
        let before = objects.requests
        #expect(Set(try await unchanged()) == Set(names))
        // Asked for in any order, each list begins with a file that no other one has.
        #expect(objects.requests - before <= names.count)

        let (changed, clinic) = clinics[4]
        var other = clinic
        other.replica = nil
        let store = try await other.open()
        try await store.add(11...11)
        try await store.close()
        let successor = try await Stores(Clinic(clinics[7].clinic.replica)).takeOver(Clinic.file)
        try await successor.close()
        #expect(Set(try await unchanged()) == Set(names).subtracting([changed, clinics[7].name]))
        #expect(try await requests(clinic, objects) > 1)
        #expect(try await Clinic.restored(from: try #require(clinic.replica)).count == 11)
        #expect(Set(try await unchanged()) == Set(names).subtracting([clinics[7].name]))
    }

    /// What a replica may have lost beside its newest change.
    enum Loss: CaseIterable, Sendable { case base, change }

    @Test(arguments: Loss.allCases, [true, false])
    func `a file whose replica has lost its base, or a change, is not taken for unchanged`(
        loss: Loss, isInShared: Bool
    ) async throws {
        let objects = MemoryObjectStore()
        var clinic = try await shipped(objects)
        let name = try DatabaseName(Clinic.file)
        func isUnchanged() async throws -> Bool {
            let replica = isInShared ? clinic.replica : Replica(in: Separate(objects))
            return try await #require(replica).unchangedSince(name, in: Stores(clinic), by: ReplicaLists()) != nil
        }
        let store = try await clinic.open()
        for id in 11...13 as ClosedRange<Int64> {
            try await store.ship(id...id)
        }
        try await store.close()
        #expect(try await isUnchanged())
        let folder = Clinic.file
        let changes = objects.objects.keys.filter { $0.hasPrefix("\(folder)/f") }.sorted()
        let parts = objects.objects.keys.filter { $0.hasPrefix("\(folder)/base/") }.sorted()
        switch loss {
        case .base: for part in parts { objects.objects[part] = nil }
        case .change: objects.objects[changes[1]] = nil
        }
        #expect(try await !isUnchanged())
        clinic.replica?.isAlwaysRead = true
        try await clinic.open().close()
        #expect(try await isUnchanged())
        #expect(try await Clinic.restored(from: try #require(clinic.replica)).count == 13)
    }

    /// An object store that lists only folder by folder.
    private final class Separate: WrappedObjectStore {
        let objects: MemoryObjectStore
        init(_ objects: MemoryObjectStore) { self.objects = objects }
    }

    @Test func `of many files a list has up to a thousand objects`() async throws {
        let objects = MemoryObjectStore()
        var folders: [ReplicaFolder] = []
        func add(_ name: String, changes: Int) {
            for part in 0..<2 { objects.objects["\(name)/base/fffffffffffffffe-0000000000000000/0000000\(part)"] = [] }
            for number in 0..<changes {
                let digits = String(UInt64.max - UInt64(number + 1), radix: 16)
                objects.objects["\(name)/\(digits)"] = [UInt8](repeating: 0, count: number)
            }
            objects.objects["\(name)/lease/fffffffffffffff0"] = []
            folders.append(ReplicaFolder(objects: objects, name: name))
        }
        // 1,200 files of five objects, and one in between whose changes fill pages.
        for number in 0..<1_200 { add("tenant\(number + 10_000)", changes: number == 600 ? 2_500 : 2) }
        folders.append(ReplicaFolder(objects: objects, name: "tenant10300-missing"))
        folders.sort { $0.name < $1.name }
        let lists = ReplicaLists()
        for folder in folders {
            let listed = try await lists.listed(folder)
            let newest = listed.newest
            #expect(listed.hasBase == !folder.name.hasSuffix("missing"))
            let changes = folder.name == "tenant10600" ? 2_500 : folder.name.hasSuffix("missing") ? 0 : 2
            #expect(newest?.number ?? 0 == changes && newest?.size ?? -1 == changes - 1)
        }
        #expect(objects.requests <= 20)
    }
}

/// A writer in a directory knows by three names whether its change is the newest and can be restored.
@Suite struct NeighboursTests {
    private let directory: TemporaryDirectory
    private let folder: ReplicaFolder

    init() async throws {
        directory = try TemporaryDirectory()
        folder = ReplicaFolder(objects: DirectoryObjectStore(directory.path("replicas")), name: "clinic")
        try await folder.objects.createFolder("clinic")
        for number in [1, 2, 3, 5] as [UInt64] {
            #expect(try await folder.objects.create(folder.path(ofChange: number), [1]))
        }
    }

    @Test func `the newest change with the one before it is acknowledged`() async throws {
        try await folder.requireNewest(3, after: 1)
        // A list would begin with it.
        #expect(try await folder.objects.create("clinic/ee", []))
        try await folder.requireNewest(3, after: 1)
    }

    @Test(arguments: [(1, "notOwner"), (2, "notOwner"), (4, "replicaIncomplete"), (5, "replicaIncomplete")])
    func `a change beside which one is too many or missing is not acknowledged`(
        number: UInt64, wanted: String
    ) async throws {
        // Number 4 vanished again.
        let error = await #expect(throws: StrongroomError.self) { try await folder.requireNewest(number, after: 1) }
        #expect("\(try #require(error).code)" == wanted)
    }
}
