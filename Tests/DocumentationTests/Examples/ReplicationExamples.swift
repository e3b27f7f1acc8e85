import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// The configuration of the guide, with a directory of the test.
private struct Clinics: Configuration {
    static let target = "clinic"

    let home: TemporaryDirectory
    let objects: any ObjectStore

    func filePath(for database: DatabaseName) throws -> String? { home.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(.raw([UInt8](repeating: 7, count: 32)))
    }
    func extensions(for database: DatabaseName) throws -> [any StoreExtension] { [Replica(in: objects)] }
}

/// As the guide shows it; not opened, since its directory is the machine's.
private struct GuideConfiguration: Configuration {
    static let target = "clinic"

    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    func extensions(for database: DatabaseName) throws -> [any StoreExtension] {
        [Replica(in: DirectoryObjectStore("/srv/replicas"))]
    }
}

@Suite("The examples of \"Beyond one machine\"")
struct ReplicationExamples {
    @Test func aHostTakesOver() async throws {
        let (directory, first, second) = (try TemporaryDirectory(), try TemporaryDirectory(), try TemporaryDirectory())
        let objects = DirectoryObjectStore(directory.path("replicas"))
        let replica = Replica(in: objects)
        do {
            let store = try await Stores(Clinics(home: first, objects: objects)).open("clinic_a.sqlite")
            try await store.write { db in try db.execute("CREATE TABLE payment (amount INTEGER)") }
            try await store.writeReplicated { db in
                try db.execute("INSERT INTO payment (amount) VALUES (4999)")
            }
            #expect(store.replication?.status.phase == .following)
            try await store.close()
        }
        let moment = Date()
        let stores = try Stores(Clinics(home: second, objects: objects))
        try await stores.restore("clinic_a.sqlite", from: replica, to: .newest)
        try await stores.restore("clinic_a.sqlite", from: replica, to: .time(moment))
        let store = try await stores.takeOver("clinic_a.sqlite")
        #expect(try await store.read { db in try db.value("SELECT amount FROM payment") as Int? } == 4_999)
        try await store.close()
        _ = [
            Replica(in: objects, lease: Lease(owner: "host-17"))
        ]
        #expect(try GuideConfiguration().extensions(for: DatabaseName("clinic_a.sqlite")).count == 1)
    }
}
