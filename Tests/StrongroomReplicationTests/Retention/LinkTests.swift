import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

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
            try await store.add(id...id)
            try await store.replication?.waitUntilShipped()
        }
        try await store.close()
        return replica
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: home).sorted() }
    }

    @Test func `pruning follows no link in the place of a base`() async throws {
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
