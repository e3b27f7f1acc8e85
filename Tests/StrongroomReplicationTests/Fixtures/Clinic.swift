import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting

/// A host with a database, and the object store of its replica.
struct Clinic: Configuration {
    static let target = "clinic"

    let directory: TemporaryDirectory
    var replica: Replica?
    var keys = [Key.raw(key(1))]
    var protection = KeyProtection.direct
    var settings = StoreSettings()
    var migrator: Migrator?

    init(_ replica: Replica? = nil) throws {
        directory = try TemporaryDirectory()
        self.replica = replica
    }

    static func key(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    static let file = "clinic.sqlite"

    var path: String { directory.path(Self.file) }

    func filePath(for database: DatabaseName) throws -> String? { directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(keys) }
    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
    func migrator(for database: DatabaseName) throws -> Migrator? { migrator }
    func extensions(for database: DatabaseName) throws -> [any StoreExtension] { replica.map { [$0] } ?? [] }
    /// Opens the database.
    func open() async throws -> Store {
        let store = try await Stores(self).open(Self.file)
        try await store.write { db in
            try db.execute("CREATE TABLE IF NOT EXISTS patient (id INTEGER PRIMARY KEY, name TEXT)")
        }
        return store
    }

    /// Restores the database from a replica, opens it without one, and reads it.
    static func restored(
        from replica: Replica, to point: RestorePoint = .newest, keys: [Key]? = nil,
        protection: KeyProtection = .direct
    ) async throws -> [Int64: String] {
        var clinic = try Clinic()
        if let keys { clinic.keys = keys }
        clinic.protection = protection
        let stores = try Stores(clinic)
        try await stores.restore(file, from: replica, to: point)
        return try await clinic.patients()
    }

    /// The rows of the database, read by a store of its own.
    func patients() async throws -> [Int64: String] {
        var clinic = self
        clinic.replica = nil
        let store = try await clinic.open()
        let patients = try await store.patients()
        try await store.close()
        return patients
    }
}

extension Store {
    /// Adds or changes patients.
    func add(_ ids: ClosedRange<Int64>, _ name: String = "Ann") async throws {
        try await write { db in
            for id in ids { try db.execute("INSERT OR REPLACE INTO patient VALUES (\(id), \(name))") }
        }
    }

    func patients() async throws -> [Int64: String] {
        try await read { db in
            var patients: [Int64: String] = [:]
            for row in try db.dictionaries("SELECT id, name FROM patient") {
                guard case .integer(let id)? = row["id"], case .text(let name)? = row["name"] else { continue }
                patients[id] = name
            }
            return patients
        }
    }
}
