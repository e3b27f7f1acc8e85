import Foundation
import Strongroom
import StrongroomTesting
import Synchronization
import Testing

@Table("patient", in: "clinic.sqlite", fullText: [FullTextIndex(on: "name", "note")])
private struct Patient: Codable {
    var id: Int64?
    var name: String
    var note = ""
}

/// A chain of keys that grows.
private final class Keys: Sendable {
    private let all = Mutex([Key.random()])

    var chain: KeyChain { get throws { try KeyChain(all.withLock { $0 }) } }

    func append() { all.withLock { $0.append(.random()) } }
}

/// The configuration of the guide, with a directory of the test.
private struct Clinics: Configuration {
    static let target = "clinic"

    let home: TemporaryDirectory
    let keys: Keys

    func filePath(for database: DatabaseName) throws -> String? { home.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try keys.chain }
    func migrator(for database: DatabaseName) throws -> Migrator? { .automatic(tables: [Patient.schema]) }
}

/// What an HTTP server calls for its routes.
private struct ClinicService: Sendable {
    let stores: Stores

    func addPatient(_ patient: Patient, to clinic: String) async throws -> Patient {
        try await stores.withStore("clinic_\(clinic).sqlite") { store in
            try await store.write { db in
                try Patient.stored(Patient.insert(patient, in: db), as: Patient.self, in: db)
            }
        }
    }

    func search(_ text: String, in clinic: String) async throws -> [Patient] {
        try await stores.withStore("clinic_\(clinic).sqlite", timeout: .seconds(2)) { store in
            try await store.read { db in
                try Patient.hits(SearchQuery.typing(text), limit: 20, in: db).map(\.record)
            }
        }
    }

    /// The body of a response of server-sent events.
    func numberOfPatients(in clinic: String) async throws -> AsyncThrowingStream<String, any Error> {
        let lease = try await stores.lease("clinic_\(clinic).sqlite", label: "events")
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                defer { lease.end() }
                do {
                    try await lease.untilShutdown {
                        for try await count in lease.store.values({ db in try Patient.count(in: db) }) {
                            continuation.yield("data: \(count)\n\n")
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

@Suite("The examples of \"A service with one file a tenant\"", .timeLimit(.minutes(10)))
struct ServingTenantsExamples {
    private let home: TemporaryDirectory
    private let keys = Keys()
    private let stores: Stores

    init() throws {
        home = try TemporaryDirectory()
        stores = try Stores(Clinics(home: home, keys: keys))
    }

    @Test func tenantsAreServed() async throws {
        let service = ClinicService(stores: stores)
        stores.lendingLimits = LendingLimits(openStores: 500, idleTime: .seconds(300))
        stores.lendingLimits = LendingLimits(openStores: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    _ = try await service.addPatient(Patient(name: "Ada \(number)"), to: "\(number % 4)")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await service.search("ad", in: "1").count == 3)
        #expect(stores.statistics.lent == 0)
        try await stores.closeAll()
    }

    @Test func eventsSeeEveryCommit() async throws {
        let service = ClinicService(stores: stores)
        var events = try await service.numberOfPatients(in: "a").makeAsyncIterator()
        #expect(try await events.next() == "data: 0\n\n")
        _ = try await service.addPatient(Patient(name: "Ada"), to: "a")
        #expect(try await events.next() == "data: 1\n\n")
        let report = await stores.shutDown(within: .seconds(300))
        #expect(report.isComplete)
        #expect(try await events.next() == nil)
    }

    @Test func allAreRotatedMigratedAndCheckedWhileTheyServe() async throws {
        let service = ClinicService(stores: stores)
        for number in 0..<3 { _ = try await service.addPatient(Patient(name: "Ada"), to: "\(number)") }
        keys.append()
        let serving = Task {
            for number in 0..<30 {
                _ = try await service.addPatient(Patient(name: "Grace"), to: "\(number % 3)")
            }
        }

        let names = try stores.databases(of: "clinic")
        try await stores.rotate(names, atMost: 2) { outcome in
            if case .failure(let error) = outcome.result { print(outcome.name, error) }
        }
        let checks = try await stores.withEachStore(of: names, atMost: 2) { store in
            try await store.verify().isWhole
        }
        #expect(try checks.allSatisfy { try $0.result.get() })
        let place = home.path("backups")
        let backups = try await stores.withEachStore(of: names, atMost: 2) { store in
            try await store.backup(to: "\(place)/\(store.name)", replacing: true)
        }
        #expect(try backups.map { try $0.result.get() }.count == 3)
        try await serving.value
        for name in names {
            let count = try await stores.withStore(name) { store in
                try await store.read { db in try Patient.count(in: db) }
            }
            #expect(count == 11)
        }

        let (clinic, former) = ("0", "2")
        try await stores.restore("clinic_\(clinic).sqlite", from: "\(place)/clinic_\(clinic).sqlite")
        try await stores.remove("clinic_\(former).sqlite")
        #expect(try await service.search("ada", in: clinic).count == 1)
        #expect(try stores.exists("clinic_\(former).sqlite") == false)

        let store = try await stores.open(names[0])
        let health = await store.health(within: .seconds(1))
        if !health.isReady { print(health.readFailure ?? health.writeRefusal as Any, health.logBytes) }
        #expect(health.isReady || health.readFailure != nil)

        let numbers = stores.statistics
        print("\(numbers.lent) in use, \(numbers.idle) idle, \(numbers.waiting) waiting, \(numbers.threads) threads")

        let report = await stores.shutDown(within: .seconds(10))
        for holder in report.holders { print("did not wait longer for \(holder)") }
        #expect(report.isComplete)
    }
}
