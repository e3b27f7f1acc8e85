import Foundation
import Strongroom
import StrongroomReplication

/// A host of the story: a directory with a database.
struct FailoverHost: Configuration {
    static let target = "payments"
    static let file = "payments.sqlite"

    /// The directory that both hosts share, with their keys.
    let directory: String
    let objects: any ObjectStore
    var name = "first"

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(name)/\(database.fileName)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyFile("\(directory)/payments.keys").keyChain(creating: true)
    }
    func extensions(for database: DatabaseName) -> [any StoreExtension] { [Replica(in: objects)] }

    /// Writes payments until the process is killed, and prints the number of each that the replica has.
    func pay() async throws {
        let store = try await Stores(self).open(Self.file)
        try await store.write { db in try db.execute("CREATE TABLE payment (number INTEGER PRIMARY KEY)") }
        try await waitForReplica(of: store)
        for number in 1... {
            try await store.writeReplicated { db in try db.execute("INSERT INTO payment VALUES (\(number))") }
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
    }

    /// Takes over, and writes a further payment.
    ///
    /// - Returns: The number of payments that were there.
    func takeOver() async throws -> Int {
        let store = try await Stores(self).takeOver(Self.file)
        let found: Int = try await store.read { db in try db.value("SELECT count(*) FROM payment") ?? 0 }
        try await store.writeReplicated { db in try db.execute("INSERT INTO payment VALUES (NULL)") }
        try await store.close()
        return found
    }

    /// Waits for the first base; fails if the object store does.
    private func waitForReplica(of store: Store) async throws {
        while true {
            do {
                return try await store.replication?.waitUntilShipped(timeout: .seconds(5)) ?? ()
            } catch let error as StrongroomError where error.code == .replicaBehind {
                if let failure = store.replication?.status.failure { throw failure }
            }
        }
    }
}
