import Foundation
import Strongroom
import StrongroomTesting
import Synchronization
import Testing

@Suite("The HTTP service of the guide", .serialized, .timeLimit(.minutes(10)))
struct ClinicServiceTests {
    private let home: TemporaryDirectory
    private let directory: String

    init() throws {
        home = try TemporaryDirectory()
        directory = home.path("clinics")
    }

    /// Adds patients over a connection of its own until the connection ends, or the test does.
    private static func addPatients(
        _ worker: Int, _ service: ServiceProcess, _ clinics: [String], _ acknowledged: Acknowledged
    ) {
        guard let client = try? service.client() else { return }
        var number = 0
        while !acknowledged.isOver.load(ordering: .relaxed) {
            let (clinic, name) = (clinics[number % clinics.count], "p\(worker)x\(number)")
            number += 1
            let body = #"{"name": "\#(name)", "note": "under load"}"#
            guard let answer = try? client.request("POST", "/clinics/\(clinic)/patients", body) else { return }
            guard answer.status == 201 else { return acknowledged.unexpected.withLock { $0.append(answer.status) } }
            acknowledged.add(name, to: clinic)
        }
    }

    /// Runs work while several clients add patients, and waits for them.
    private func underLoad(
        _ service: ServiceProcess, _ clinics: [String], clients: Int = 6,
        _ work: (Acknowledged) async throws -> Void
    ) async throws -> Acknowledged {
        let acknowledged = Acknowledged()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<clients {
                group.addTask {
                    try await onThread { Self.addPatients(worker, service, clinics, acknowledged) }
                }
            }
            defer { acknowledged.isOver.store(true, ordering: .relaxed) }
            try await work(acknowledged)
        }
        return acknowledged
    }

    private func create(_ clinics: [String], _ service: ServiceProcess) throws {
        let client = try service.client()
        for clinic in clinics {
            #expect(try client.request("PUT", "/clinics/\(clinic)").status == 201)
        }
    }

    private var keys: KeyChain { get throws { try KeyFile("\(directory).keys").keyChain() } }

    @Test func `clinics are created, and patients added, listed and searched`() async throws {
        let service = try await ServiceProcess(directory)
        let client = try service.client()
        #expect(try client.request("PUT", "/clinics/north").status == 201)
        #expect(try client.request("PUT", "/clinics/north").status == 200)
        let added = try client.request("POST", "/clinics/north/patients", #"{"name": "Ada Lovelace", "note": "tall"}"#)
        #expect(added.status == 201 && added.body.contains(#""id":1"#))
        _ = try client.request("POST", "/clinics/north/patients", #"{"name": "Grace Hopper", "note": "quick"}"#)
        let all = try client.request("GET", "/clinics/north/patients").body
        #expect(all.contains("Ada") && all.contains("Grace"))
        let rest = try client.request("GET", "/clinics/north/patients?after=1").body
        #expect(!rest.contains("Ada") && rest.contains("Grace"))
        let found = try client.request("GET", "/clinics/north/patients?q=qui").body
        #expect(!found.contains("Ada") && found.contains("Grace"))
        #expect(try client.request("GET", "/clinics").body == #"["clinic_north.sqlite"]"#)
        #expect(try client.request("GET", "/clinics/south/patients").status == 404)
        #expect(try client.request("GET", "/ready").status == 200)
        #expect(try client.request("PUT", "/clinics/a%2Fb").status == 400)
        #expect(try client.request("GET", "/clinics/north/patients?after=7").body == "[]")
        #expect(try client.request("POST", "/clinics/north/patients", "{}").status == 400)
        service.requestShutdown()
        #expect(try await service.wait() == 0, "\(service.messages)")
    }

    @Test func `events see the commits of this process and of another, and end with the service`() async throws {
        let (service, other) = (try await ServiceProcess(directory), try await ServiceProcess(directory))
        try create(["north"], service)
        let events = try service.client()
        try events.openEvents("/clinics/north/events")
        #expect(try events.nextEvent() == "0")
        for (index, process) in [service, other, service, other].enumerated() {
            let body = #"{"name": "Ada", "note": ""}"#
            #expect(try process.client().request("POST", "/clinics/north/patients", body).status == 201)
            var seen = try events.nextEvent()
            // A commit may be reported twice, never not at all.
            while seen == "\(index)" { seen = try events.nextEvent() }
            #expect(seen == "\(index + 1)")
        }
        // A client that goes away ends its stream, and the lease with it.
        var gone: HTTPClient? = try service.client()
        try gone?.openEvents("/clinics/north/events")
        _ = try gone?.nextEvent()
        gone = nil
        service.requestShutdown()
        while try events.nextEvent() != nil {}
        #expect(try await service.wait() == 0, "\(service.messages)")
        #expect(!service.messages.contains("did not wait longer"))
        other.requestShutdown()
        #expect(try await other.wait() == 0)
    }

    @Test func `all keys are rotated while requests are answered`() async throws {
        let clinics = ["north", "south", "east", "west"]
        let service = try await ServiceProcess(directory)
        try create(clinics, service)
        let acknowledged = try await underLoad(service, clinics) { acknowledged in
            while acknowledged.count.load(ordering: .relaxed) < 50 { try await Task.sleep(for: .milliseconds(5)) }
            let answer = try service.client().request("POST", "/rotation")
            #expect(answer.status == 200 && answer.body.contains(#""rotated":4"#), "\(answer.body)")
            let done = acknowledged.count.load(ordering: .relaxed)
            while acknowledged.count.load(ordering: .relaxed) < done + 50 {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(acknowledged.unexpected.withLock { $0 } == [])
        service.requestShutdown()
        #expect(try await service.wait() == 0, "\(service.messages)")
        let keys = try keys
        #expect(keys.count == 2)
        // The current key alone opens every file.
        let last = try String(contentsOfFile: "\(directory).keys", encoding: .utf8).split(separator: "\n").last
        try Data("\(try #require(last))\n".utf8).write(to: URL(filePath: home.path("last")))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.path("last"))
        try await acknowledged.check(in: directory, try KeyFile(home.path("last")).keyChain())
    }

    @Test func `a shutdown under load answers what it has accepted, and keeps every acknowledged write`() async throws {
        let clinics = ["north", "south", "east"]
        let service = try await ServiceProcess(directory, ["CLINICS_LIMITS_OPEN_STORES": "2"])
        try create(clinics, service)
        let events = try service.client()
        try events.openEvents("/clinics/north/events")
        let acknowledged = try await underLoad(service, clinics) { acknowledged in
            while acknowledged.count.load(ordering: .relaxed) < 60 { try await Task.sleep(for: .milliseconds(5)) }
            service.requestShutdown()
            #expect(try await service.wait() == 0, "\(service.messages)")
        }
        // No answer but that of a write, so no `closed` either; what was not accepted has no answer.
        #expect(acknowledged.unexpected.withLock { $0 } == [])
        while try events.nextEvent() != nil {}
        #expect(service.messages.contains("the stores are closed"))
        #expect(!service.messages.contains("did not wait longer"))
        // Every WAL was checkpointed. That of a store that was closed for another is there, without content.
        let logs = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix("-wal") }
        let left = try logs.filter { log in
            try FileManager.default.attributesOfItem(atPath: "\(directory)/\(log)")[.size] as? Int != 0
        }
        #expect(left == [])
        try await acknowledged.check(in: directory, try keys)
    }

    @Test func `a service that is killed under load keeps every acknowledged write`() async throws {
        let clinics = ["north", "south", "east"]
        var all: [Acknowledged] = []
        for round in 0..<3 {
            let service = try await ServiceProcess(directory, ["CLINICS_LIMITS_OPEN_STORES": "2"])
            if round == 0 { try create(clinics, service) }
            let acknowledged = try await underLoad(service, clinics) { acknowledged in
                while acknowledged.count.load(ordering: .relaxed) < 40 { try await Task.sleep(for: .milliseconds(5)) }
                service.killNow()
                #expect(try await service.wait() == -9)
            }
            #expect(acknowledged.unexpected.withLock { $0 } == [])
            all.append(acknowledged)
        }
        let service = try await ServiceProcess(directory)
        for acknowledged in all {
            for (clinic, names) in acknowledged.names.withLock({ $0 }) {
                let name = try #require(names.first)
                let found = try service.client().request("GET", "/clinics/\(clinic)/patients?q=\(name)")
                #expect(found.body.contains(#""\#(name)""#))
            }
        }
        service.requestShutdown()
        #expect(try await service.wait() == 0, "\(service.messages)")
        for acknowledged in all { try await acknowledged.check(in: directory, try keys) }
    }

    /// What is pending is left to the next program.
    @Test func `a shutdown while clinics are migrated in the background is a normal one`() async throws {
        try await createFormerClinics((0..<60).map { "c\($0)" })
        let service = try await ServiceProcess(directory)
        service.requestShutdown()
        #expect(try await service.wait() == 0, "\(service.messages)")
        #expect(!service.messages.contains("did not wait longer"))
    }

    private func createFormerClinics(_ names: [String]) async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let former = try Stores(
            StoredClinics(
                directory: directory, keys: KeyFile("\(directory).keys").keyChain(creating: true),
                settings: StoreSettings(), migrator: .automatic(tables: [FormerPatient.schema])))
        for name in names {
            let store = try await former.open("clinic_\(name).sqlite")
            try await store.write { db in try FormerPatient.insert(FormerPatient(name: "Ada of \(name)"), in: db) }
            try await store.close()
        }
    }

    @Test func `clinics of an older release are migrated when they are used, and the others in the background`()
        async throws
    {
        let names = (0..<6).map { "c\($0)" }
        try await createFormerClinics(names)
        let service = try await ServiceProcess(directory)
        let client = try service.client()
        let listed = try client.request("GET", "/clinics/c5/patients").body
        #expect(listed.contains("Ada of c5") && listed.contains(#""note":"""#))
        while !service.messages.contains("upkeep is done") { try await Task.sleep(for: .milliseconds(5)) }
        service.requestShutdown()
        #expect(try await service.wait() == 0, "\(service.messages)")
        let stores = try Stores(StoredClinics(directory: directory, keys: keys))
        for name in names {
            let note = try await stores.withStore("clinic_\(name).sqlite") { store in
                try await store.read { db in try db.value("SELECT note FROM patient", as: String.self) }
            }
            #expect(note == "")
        }
        try await stores.closeAll()
    }
}

/// A patient of the release before the guide's.
@Table("patient", in: "clinic.sqlite", fullText: [FullTextIndex(on: "name")])
private struct FormerPatient {
    var id: Int64?
    var name: String
}
