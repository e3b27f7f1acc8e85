import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

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
        try await store.add(1...3)
        try await store.replication?.waitUntilShipped()
        try await store.close()

        let host = try clinic()
        let stores = try Stores(host)
        // As if the folder of this one was written in the place of the other's.
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
        try await store.add(1...3)
        try await store.replication?.waitUntilShipped()
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
