import Foundation
import Strongroom
import Synchronization
import Testing

/// A client of the service that adds, lists and searches patients until the test is over.
struct SoakClient {
    /// A number of its own among all clients of all processes.
    let number: Int
    let service: ServiceProcess
    let clinics: [String]
    let acknowledged: Acknowledged

    /// Sends requests over one connection, a fifth of which are writes.
    ///
    /// - Throws: ``HTTPClient/Disconnected`` if the connection ends before the test does.
    func sendRequests() throws {
        let client = try service.client()
        // The newest patient of this client in each clinic: an acknowledged write is seen by the next search.
        var newest: [String: String] = [:]
        var request = 0
        while !acknowledged.isOver.load(ordering: .relaxed) {
            request += 1
            let clinic = frequentClinic()
            let path = "/clinics/\(clinic)/patients"
            switch request % 5 {
            case 0:
                let name = "p\(number)x\(request)"
                let answer = try client.request("POST", path, #"{"name": "\#(name)", "note": "a long load"}"#)
                guard accept(answer, 201) else { return }
                acknowledged.add(name, to: clinic)
                newest[clinic] = name
            case 1:
                guard let name = newest[clinic] else { continue }
                let answer = try client.request("GET", "\(path)?q=\(name)")
                guard accept(answer, 200, containing: #""\#(name)""#) else { return }
            default:
                // The second page of a clinic that has rows.
                let page = newest[clinic] == nil ? path : "\(path)?after=1"
                guard accept(try client.request("GET", page), 200) else { return }
            }
        }
    }

    /// Follows the events of one clinic after another, and goes away in the middle of each stream.
    ///
    /// - Throws: ``HTTPClient/Disconnected`` if a stream ends before the test does.
    func followEvents() throws {
        while !acknowledged.isOver.load(ordering: .relaxed) {
            let client = try service.client()
            try client.openEvents("/clinics/\(frequentClinic())/events")
            // The first one comes without a commit.
            guard try client.nextEvent() != nil else { throw HTTPClient.Disconnected() }
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    /// A few clinics get most of the requests.
    private func frequentClinic() -> String {
        let share = Double.random(in: 0..<1)
        return clinics[Int(Double(clinics.count) * share * share * share)]
    }

    /// Whether the answer is the expected one. Otherwise the test fails.
    private func accept(_ answer: HTTPClient.Answer, _ status: Int, containing text: String = "") -> Bool {
        let isExpected = answer.status == status && (text.isEmpty || answer.body.contains(text))
        if !isExpected { acknowledged.unexpected.withLock { $0.append(answer.status) } }
        return isExpected
    }
}

/// What the service has answered to the clients of a test.
final class Acknowledged: Sendable {
    /// Names of patients that the service has acknowledged, by clinic.
    let names = Shared<[String: Set<String>]>([:])
    /// Statuses that no request of the test should have.
    let unexpected = Shared<[Int]>([])
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
            #expect(try await store.verify().isIntact)
        }
        try await stores.closeAll()
    }
}

/// The files of the service, opened by the test beside it.
struct StoredClinics: Configuration {
    static let target = "clinic"

    let directory: String
    let keys: KeyChain
    var settings = StoreSettings(isReadOnly: true)
    var migrator: Migrator?

    func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { keys }
    func keyProtection(for database: DatabaseName) -> KeyProtection { .envelope }
    func migrator(for database: DatabaseName) -> Migrator? { migrator }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
}

/// What a process holds, as Linux reports it. See proc_pid_status(5).
struct ServiceSample {
    /// Resident bytes that no file backs: allocated memory and stacks.
    let memory: Int
    let descriptors: Int
    let threads: Int

    /// - Parameter process: The identifier of a process.
    /// - Returns: nil if it has ended, or the system has no /proc.
    init?(of process: Int32) {
        let directory = "/proc/\(process)"
        guard let status = try? String(contentsOfFile: "\(directory)/status", encoding: .utf8),
            let kilobytes = Self.number("RssAnon", in: status), let threads = Self.number("Threads", in: status),
            let open = try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/fd")
        else { return nil }
        memory = kilobytes << 10
        self.threads = threads
        descriptors = open.count
    }

    private static func number(_ field: String, in status: String) -> Int? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
}
