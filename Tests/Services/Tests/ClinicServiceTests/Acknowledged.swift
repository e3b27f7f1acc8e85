import Strongroom
import Synchronization
import Testing

/// What the service has answered to the clients of a test.
final class Acknowledged: Sendable {
    /// Names of patients that the service has acknowledged, by clinic.
    let names = Mutex<[String: Set<String>]>([:])
    /// Statuses that no request of the test should have.
    let unexpected = Mutex<[Int]>([])
    let count = Atomic(0)
    /// Clients whose connection has ended before they did.
    let disconnections = Atomic(0)
    /// Whether the clients are to stop.
    let isOver = Atomic(false)

    func add(_ name: String, to clinic: String) {
        names.withLock { _ = $0[clinic, default: []].insert(name) }
        count.add(1, ordering: .relaxed)
    }

    /// Compares what is in the files with what was acknowledged; what was written without an answer may be there, too.
    func check(in directory: String, _ keys: KeyChain) async throws {
        let stores = try Stores(StoredClinics(directory: directory, keys: keys))
        for (clinic, names) in names.withLock({ $0 }) {
            let store = try await stores.open("clinic_\(clinic).sqlite")
            let stored = try await store.read { db in
                var stored: Set<String> = []
                try db.forEachRow("SELECT name FROM patient") { row in stored.insert(try row[0]) }
                return stored
            }
            #expect(names.subtracting(stored).isEmpty, "\(clinic): \(names.count) of \(stored.count)")
            #expect(try await store.verify().isWhole)
        }
        try await stores.closeAll()
    }
}
