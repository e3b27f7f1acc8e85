import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// A replica whose key the host does not have.
@Suite struct RestoringKeysTests {
    @Test(arguments: [KeyProtection.direct, .envelope])
    func `the error names the replica, and nothing is left`(protection: KeyProtection) async throws {
        let replica = Replica(in: MemoryObjectStore())
        var clinic = try Clinic(replica)
        clinic.protection = protection
        let store = try await clinic.open()
        try await store.add(1...3)
        try await store.replication?.waitUntilShipped()
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
        try await store.add(1...3)
        try await store.replication?.waitUntilShipped()
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
