import Foundation
import Strongroom
import StrongroomTesting
import Testing

// A header that no writer makes cannot be had from outside.
@testable import StrongroomReplication

/// Numbers that an object store, or a file that somebody has planted, supplies.
@Suite struct ForeignNumbersTests {
    /// An object store whose lists tell other sizes.
    final class Sizes: WrappedObjectStore {
        let objects: MemoryObjectStore
        let size: Int
        init(_ objects: MemoryObjectStore, _ size: Int) { (self.objects, self.size) = (objects, size) }

        func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
            try await objects.list(folder, after: name, count: count).map { ObjectEntry(name: $0.name, size: size) }
        }
    }

    @Test(arguments: [Int.max, -1, Int.min, 1 << 40])
    func `sizes that no writer could have made end nothing but the request`(size: Int) async throws {
        let memory = MemoryObjectStore()
        let clinic = try Clinic(Replica(in: memory))
        let store = try await clinic.open()
        for id in 1...3 as ClosedRange<Int64> {
            try await store.ship(id...id)
        }
        try await store.close()
        let name = try DatabaseName(Clinic.file)
        let replica = Replica(in: Sizes(memory, size))
        #expect(try await !replica.inspect(name).findings.isEmpty)
        #expect(await failureCode { _ = try await replica.prune(name, keepingSince: Date()) } == .replicaDamaged)
        #expect(await failureCode { _ = try await Clinic.restored(from: replica) } == .replicaDamaged)
        let other = try await Clinic(Replica(in: Sizes(memory, size), takesOver: true)).open()
        try await eventually { other.replication?.status.failure?.code == .replicaDamaged }
        #expect(await failureCode { try await other.replication?.waitUntilShipped(timeout: .seconds(1)) } != nil)
        try await other.close()
    }

    @Test func `a header of more than a writer makes is refused before anything is read`() throws {
        func header(pages: UInt32) -> ObjectHeader {
            ObjectHeader(
                kind: .change, isLast: true, part: 0, form: PageForm(size: 65_536, vectorOffset: 65_456), pages: pages,
                databasePages: pages, number: 1, time: 1, writer: .random(), replica: .random(), envelopeLength: 0,
                previous: [UInt8](repeating: 0, count: Digests.length))
        }
        let usual = header(pages: 64)
        #expect(try ObjectHeader(usual.bytes, of: "object") == usual)
        let failure = #expect(throws: StrongroomError.self) {
            // 2 GiB, which a file without content has for nothing.
            _ = try ObjectHeader(header(pages: 32_768).bytes, of: "object")
        }
        #expect(failure?.code == .replicaDamaged)
    }

    @Test func `a planted backup with the greatest number ends no migration`() async throws {
        let clinic = try Clinic()
        try await clinic.open().close()
        let planted = clinic.directory.path(".\(Clinic.file).snapshot-\(Int.max)-x")
        try Data("x".utf8).write(to: URL(filePath: planted))
        #expect(try Stores(clinic).migrationBackups(of: Clinic.file).isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make files of other users"))
    func `a migration backup that another user has planted is none`() async throws {
        let clinic = try Clinic()
        try await clinic.open().close()
        let planted = clinic.directory.path(".\(Clinic.file).snapshot-7-x")
        try Data("x".utf8).write(to: URL(filePath: planted))
        #expect(try Stores(clinic).migrationBackups(of: Clinic.file).count == 1)
        #expect(chown(planted, 65_534, 65_534) == 0)
        #expect(try Stores(clinic).migrationBackups(of: Clinic.file).isEmpty)
    }

    /// How the record of what was shipped is planted. Who may read it may lock it.
    enum Plant: CaseIterable, Sendable { case otherUser, othersMayWrite, othersMayRead, secondName }

    @Test(.enabled(if: geteuid() == 0, "only root can make files of other users"), arguments: Plant.allCases)
    func `a record that others can write or lock is refused by name`(plant: Plant) async throws {
        let clinic = try Clinic(Replica(in: MemoryObjectStore(), interval: .milliseconds(5)))
        let first = try await clinic.open()
        try await first.add(1...1)
        try await first.close()
        let directory = clinic.directory.path("")
        let record = try #require(
            FileManager.default.contentsOfDirectory(atPath: directory).first { $0.contains(".replica-") })
        let path = clinic.directory.path(record)
        switch plant {
        case .otherUser: #expect(chown(path, 65_534, 65_534) == 0)
        case .othersMayWrite: #expect(chmod(path, 0o666) == 0)
        case .othersMayRead: #expect(chmod(path, 0o644) == 0 && chmod(clinic.path, 0o644) == 0)
        case .secondName: #expect(link(path, clinic.directory.path("second")) == 0)
        }
        let store = try await clinic.open()
        try await store.add(2...2)
        try await eventually { store.replication?.status.failure?.code == .unsafeFile }
        #expect(await failureCode { try await store.replication?.waitUntilShipped(timeout: .seconds(1)) } != nil)
        #expect(store.replication?.status.failure?.message.contains(record) == true)
        try await store.close()
    }
}
