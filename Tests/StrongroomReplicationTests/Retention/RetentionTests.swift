import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// What a replica keeps, and what is found when it is damaged.
@Suite struct RetentionTests {
    private let name = (try? DatabaseName(Clinic.file)) ?? Self.fallback
    private static var fallback: DatabaseName { preconditionFailure("the name is valid") }

    /// A replica of 40 commits, each of which needs a page of its own, with bases among them.
    private func filled(_ objects: MemoryObjectStore, commits: Int64 = 40) async throws -> Replica {
        var replica = Replica(in: objects)
        replica.leastChanges = 4 << 20
        let store = try await Clinic(replica).open()
        let size = 300_000
        for id in 1...commits {
            try await store.write { db in
                try db.execute("CREATE TABLE IF NOT EXISTS filling (id INTEGER PRIMARY KEY, content BLOB)")
                try db.execute("INSERT OR REPLACE INTO filling VALUES (1, randomblob(\(size)))")
                try db.execute("INSERT INTO patient VALUES (\(id), 'Ann')")
            }
            try await store.replication?.waitUntilShipped()
        }
        try await store.close()
        return replica
    }

    @Test func `removing old states keeps the younger ones, however often it is interrupted`() async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects)
        let whole = objects.objects
        let newest = try await replica.inspect(name).newestChange
        let dryRun = try await replica.prune(name, keepingSince: Date(), dryRun: true)
        #expect(objects.objects.count == whole.count)
        let report = try await replica.prune(name, keepingSince: Date())
        #expect(report == dryRun && report.objects > 5)
        let pruned = objects.objects
        #expect(try await Clinic.restored(from: replica).count == 40)
        // Each state between the whole and the pruned replica, in the order of the removals.
        let removed = try await removals(whole, replica)
        for count in stride(from: 0, through: removed.count, by: 3) {
            objects.objects = whole.filter { !removed.prefix(count).contains($0.key) }
            #expect(try await Clinic.restored(from: replica).count == 40)
            try await replica.prune(name, keepingSince: Date())
            #expect(objects.objects.count <= pruned.count + 1)
            #expect(try await Clinic.restored(from: replica).count == 40)
            #expect(try await replica.inspect(name, verifying: true).findings.isEmpty)
        }
        objects.objects = pruned
        #expect(try await replica.inspect(name).newestChange == newest)
        await #expect(throws: StrongroomError.self) {
            _ = try await Clinic.restored(from: replica, to: .change(1))
        }
    }

    /// The names that a removal removes, in order.
    private func removals(_ whole: [String: [UInt8]], _ replica: Replica) async throws -> [String] {
        let objects = RecordingObjectStore(whole)
        try await Replica(in: objects).prune(name, keepingSince: Date())
        return objects.removed
    }

    @Test func `files that killed processes were writing are removed from a directory`() async throws {
        let directory = try TemporaryDirectory()
        let replica = Replica(in: DirectoryObjectStore(directory.path("replicas")))
        let store = try await Clinic(replica).open()
        try await store.add(1...10)
        try await store.close()
        let folder = directory.path("replicas/\(Clinic.file)")
        let base = try #require(FileManager.default.contentsOfDirectory(atPath: folder + "/base").first)
        let old = [folder + "/.new-1", folder + "/base/\(base)/.new-2"]
        // One that is being written, and one of another program.
        let kept = [folder + "/.new-3", folder + "/.other"]
        for path in old + kept { try Data([1]).write(to: URL(filePath: path)) }
        for path in old + [folder + "/.other"] {
            let date = Date(timeIntervalSinceNow: -4_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        try await replica.prune(name, keepingSince: Date(), dryRun: true)
        #expect(old.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        try await replica.prune(name, keepingSince: Date())
        #expect(old.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
        #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        #expect(try await Clinic.restored(from: replica).count == 10)
    }

    @Test func `each damaged object is found, and no wrong state is restored`() async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects, commits: 3)
        let whole = objects.objects
        let good = try await Clinic.restored(from: replica)
        for name in whole.keys.sorted() {
            guard let content = whole[name] else { continue }
            var changed = content
            changed[content.count / 2] ^= 1
            for damaged in [changed, Array(content.dropLast(100)), [], Array("no object of a replica".utf8)] {
                objects.objects = whole.merging([name: damaged]) { $1 }
                // Of the change whose state the base has, only the end is read.
                let restored = try? await Clinic.restored(from: replica)
                #expect(restored.map { $0 == good } ?? true)
                let findings = try await replica.inspect(self.name, verifying: true).findings
                #expect(findings.contains { $0.contains(name) }, "\(name): \(findings)")
                #expect(Set(findings).count == findings.count)
            }
            objects.objects = whole.filter { $0.key != name }
            // Without the newest change an older state is the newest.
            let restored = try? await Clinic.restored(from: replica)
            #expect(restored.map { $0.count < good.count } ?? true)
        }
    }

    @Test func `all damaged objects are listed, whichever of them a restore would need`() async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects, commits: 3)
        let names = objects.objects.keys.filter { !$0.contains("/lease") }.sorted()
        objects.objects = objects.objects.mapValues { _ in Array("no object of a replica".utf8) }
        let inspection = try await replica.inspect(name, verifying: true)
        for name in names { #expect(inspection.findings.contains { $0.contains("\"\(name)\"") }, "\(name)") }
        #expect(inspection.states == nil)
    }

    @Test func `hostile objects end in an error`() async throws {
        let objects = MemoryObjectStore()
        let replica = try await filled(objects, commits: 2)
        let (whole, good) = (objects.objects, try await Clinic.restored(from: replica))
        let folder = Clinic.file
        // Numbers at offsets of the header, with the greatest values.
        for name in whole.keys.sorted() {
            guard let content = whole[name], content.count > 144 else { continue }
            for (offset, length) in [(8, 2), (12, 4), (16, 4), (20, 4), (24, 4), (28, 4), (32, 8), (40, 8), (80, 4)] {
                for byte in [0x00, 0x7F, 0xFF] as [UInt8] {
                    var changed = content
                    for index in offset..<offset + length { changed[index] = byte }
                    // With a right digest, which needs no key.
                    changed = Array(changed.dropLast(32)) + Digests.sha256(Array(changed.dropLast(32)))
                    objects.objects = whole.merging([name: changed]) { $1 }
                    let restored = try? await Clinic.restored(from: replica)
                    #expect(restored.map { Set($0.keys).isSubset(of: good.keys) } ?? true)
                    _ = try? await replica.inspect(self.name, verifying: true)
                    _ = try? await replica.prune(self.name, keepingSince: Date(), dryRun: true)
                }
            }
        }
        // Names with the greatest and the smallest numbers, and names that are none.
        for name in ["0000000000000000", "ffffffffffffffff", "lease/0000000000000000", "x", "base/x/y"] {
            objects.objects = whole.merging(["\(folder)/\(name)": Array("none".utf8)]) { $1 }
            _ = try? await Clinic.restored(from: replica)
            _ = try? await replica.inspect(self.name, verifying: true)
            let store = try await Stores(Clinic(Replica(in: objects, lease: nil))).open(folder)
            _ = try? await store.replication?.waitUntilShipped(timeout: .milliseconds(50))
            try await store.close()
        }
    }

    @Test func `a missing change is found`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects)
        let store = try await Clinic(replica).open()
        for id in 1...8 as ClosedRange<Int64> {
            try await store.ship(id...id)
        }
        try await store.close()
        let changes = objects.created.filter { !$0.contains("/base/") }
        for name in changes.dropFirst().dropLast() {
            let content = objects.objects[name]
            objects.objects[name] = nil
            #expect(try await replica.inspect(self.name, verifying: true).findings.isEmpty == false)
            await #expect(throws: StrongroomError.self) { _ = try await Clinic.restored(from: replica) }
            objects.objects[name] = content
        }
        #expect(try await replica.inspect(self.name, verifying: true).findings.isEmpty)
    }

    @Test func `a state of a moment is restored`() async throws {
        let objects = MemoryObjectStore()
        let replica = Replica(in: objects)
        let store = try await Clinic(replica).open()
        var moments: [(Date, Int)] = []
        for id in 1...5 as ClosedRange<Int64> {
            try await store.ship(id...id)
            try await Task.sleep(for: .milliseconds(20))
            moments.append((Date(), Int(id)))
            try await Task.sleep(for: .milliseconds(20))
        }
        try await store.close()
        for (moment, count) in moments {
            #expect(try await Clinic.restored(from: replica, to: .time(moment)).count == count)
        }
        await #expect(throws: StrongroomError.self) {
            _ = try await Clinic.restored(from: replica, to: .time(Date(timeIntervalSince1970: 0)))
        }
    }
}

/// Objects in memory that record what is removed.
private final class RecordingObjectStore: WrappedObjectStore {
    let objects = MemoryObjectStore()
    private let names = Locked<[String]>([])

    init(_ objects: [String: [UInt8]]) { self.objects.objects = objects }

    var removed: [String] { names.withLock { $0 } }

    func remove(_ names: [String]) async throws {
        self.names.withLock { $0 += names }
        try await objects.remove(names)
    }
}

/// Nothing outside of its directory belongs to an object store.
@Suite struct LinkTests {
    private let directory: TemporaryDirectory
    private let objects: DirectoryObjectStore
    private let replicas: String
    private let home: String

    init() throws {
        directory = try TemporaryDirectory()
        (replicas, home) = (directory.path("replicas"), directory.path("home"))
        objects = DirectoryObjectStore(replicas)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        for name in ["thesis.txt", "00000000", "ffffffffffffff00"] {
            try Data("content".utf8).write(to: URL(filePath: "\(home)/\(name)"))
        }
    }

    private func filled() async throws -> Replica {
        let replica = Replica(in: objects)
        let store = try await Clinic(replica).open()
        for id in 1...3 as ClosedRange<Int64> {
            try await store.ship(id...id)
        }
        try await store.close()
        return replica
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: home).sorted() }
    }

    @Test func `pruning follows no link in the location of a base`() async throws {
        let replica = try await filled()
        try FileManager.default.createSymbolicLink(
            atPath: "\(replicas)/\(Clinic.file)/base/ffffffffffffffff-0000000000000000", withDestinationPath: home)
        let report = try await replica.prune(DatabaseName(Clinic.file), keepingSince: Date())
        #expect(report.objects == 0)
        #expect(try files == ["00000000", "ffffffffffffff00", "thesis.txt"])
    }

    @Test func `pruning removes no file of another name from a base`() async throws {
        let replica = try await filled()
        let base = "\(replicas)/\(Clinic.file)/base/ffffffffffffffff-0000000000000000"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
        for name in ["00000000", "notes.txt"] { try Data("x".utf8).write(to: URL(filePath: "\(base)/\(name)")) }
        let report = try await replica.prune(DatabaseName(Clinic.file), keepingSince: Date())
        #expect(report.objects == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: base) == ["notes.txt"])
    }

    @Test(arguments: ["linked", "folder/linked"])
    func `no request follows a link`(folder: String) async throws {
        try FileManager.default.createDirectory(atPath: "\(replicas)/folder", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(replicas)/\(folder)", withDestinationPath: home)
        #expect(try await !objects.folders(in: "").contains("linked"))
        #expect(try await !objects.folders(in: "folder").contains("linked"))
        await #expect(throws: StrongroomError.self) { _ = try await objects.create("\(folder)/new", [1]) }
        await #expect(throws: StrongroomError.self) { _ = try await objects.read("\(folder)/thesis.txt", nil) }
        await #expect(throws: StrongroomError.self) { _ = try await objects.list(folder, after: nil, count: 10) }
        await #expect(throws: StrongroomError.self) { try await objects.remove(["\(folder)/thesis.txt"]) }
        try await objects.removeUnfinished(in: "folder")
        #expect(try files == ["00000000", "ffffffffffffff00", "thesis.txt"])
    }

    @Test func `an object that is a link is none`() async throws {
        _ = try await filled()
        let folder = "\(replicas)/\(Clinic.file)"
        let name = String(UInt64.max - 900, radix: 16)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/\(name)", withDestinationPath: "\(home)/thesis.txt")
        let names = try await objects.list(Clinic.file, after: "e", count: 1_000).map(\.name)
        #expect(!names.contains(name))
        await #expect(throws: StrongroomError.self) { _ = try await objects.read("\(Clinic.file)/\(name)", nil) }
    }

    @Test(arguments: ["..", "a/../..", "a//b", "./a", "/a"])
    func `a name that leaves the directory is refused`(folder: String) async throws {
        await #expect(throws: StrongroomError.self) { _ = try await objects.create("\(folder)/new", [1]) }
        await #expect(throws: StrongroomError.self) { _ = try await objects.list(folder, after: nil, count: 10) }
    }

    @Test func `the directory itself may be a link`() async throws {
        try FileManager.default.createSymbolicLink(atPath: replicas, withDestinationPath: home)
        let replica = try await filled()
        #expect(try await Clinic.restored(from: replica).count == 3)
    }
}
