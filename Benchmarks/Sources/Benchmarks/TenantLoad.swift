import Foundation
import Strongroom
import StrongroomReplication
import Synchronization
import TestData

/// Many stores with replicas that are open in one process, each of which writes a row a second.
struct TenantLoad {
    /// What a load came to.
    struct Report {
        /// From the commit to the moment at which the replica has it, in order.
        let lags: [Duration]
        /// The time in which the writes were made.
        let duration: Duration
        let requests: CountedObjects.Requests
        /// The resident memory of the open stores without and with their writes, in bytes.
        let memory: (idle: Int, busy: Int)
        let threads: Int
        let descriptors: Int

        func lag(_ part: Double) -> Double {
            lags[min(lags.count - 1, Int(Double(lags.count) * part))] / .milliseconds(1)
        }

        /// Requests of a kind, a minute.
        func perMinute(_ count: Int) -> Double { Double(count) / (duration / .seconds(60)) }

        /// A month of 30 days at the public prices of Amazon S3, storage class Standard, in dollars: 0.005 for 1,000
        /// requests that write or list, 0.0004 for 1,000 that read.
        var monthlyCost: Double {
            let (writes, reads) = (perMinute(requests.puts + requests.lists), perMinute(requests.gets))
            return 60 * 24 * 30 * (writes * 0.005 + reads * 0.0004) / 1_000
        }
    }

    let tenants: Int
    let interval: Duration
    /// How long is written, after a time that does not count.
    let seconds: Int
    let directory: URL
    /// How long a request takes.
    static let delay = Duration.milliseconds(20)
    private static let warmUp = 10
    private static let poll = Duration.milliseconds(25)

    func run() async throws -> Report {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let objects = try CountedObjects(in: directory, delay: Self.delay)
        let before = try ProcessStatus.current()
        let stores = try await open(objects)
        try await Task.sleep(for: .seconds(8))
        let idle = try ProcessStatus.current()

        let confirmed = Confirmed(stores.count)
        let watching = Task { try await watch(stores, confirmed) }
        let start = ContinuousClock.now + .seconds(1)
        let first = start + .seconds(Self.warmUp)
        async let counted = Self.requests(objects, at: first)
        let writes = try await write(stores, from: start)
        let end = ContinuousClock.now
        let requests = objects.requests - (try await counted)
        let busy = try ProcessStatus.current()
        for store in stores { try await store.replication?.waitUntilShipped() }
        try await Task.sleep(for: interval * 2 + .seconds(1))
        watching.cancel()
        _ = await watching.result
        var lags: [Duration] = []
        for write in writes {
            for time in write.times where time >= first {
                if let lag = confirmed.lag(write.tenant, time) { lags.append(lag) }
            }
        }
        for store in stores { try await store.close() }
        return Report(
            lags: lags.sorted(), duration: end - first, requests: requests,
            memory: (idle.memory - before.memory, busy.memory - before.memory), threads: busy.threads,
            descriptors: busy.descriptors)
    }

    private static func requests(
        _ objects: CountedObjects, at time: ContinuousClock.Instant
    ) async throws -> CountedObjects.Requests {
        try await Task.sleep(until: time)
        return objects.requests
    }

    private func open(_ objects: CountedObjects) async throws -> [Store] {
        let replica = Replica(in: objects, interval: interval)
        let registry = try Stores(ReplicatedTenants(directory: directory, replica: replica))
        var stores: [Store] = []
        for batch in stride(from: 0, to: tenants, by: 50) {
            let opened = try await withThrowingTaskGroup(of: Store.self) { group in
                for number in batch..<min(batch + 50, tenants) {
                    group.addTask {
                        let store = try await registry.open(ServiceLoad.name(number))
                        try await store.write { db in
                            try db.execute("CREATE TABLE payment (id INTEGER PRIMARY KEY, text TEXT)")
                        }
                        try await store.replication?.waitUntilShipped()
                        return store
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            stores += opened
        }
        return stores
    }

    /// Each store writes a row of 200 bytes a second, at its own moment of the second.
    private func write(
        _ stores: [Store], from start: ContinuousClock.Instant
    ) async throws -> [(tenant: Int, times: [ContinuousClock.Instant])] {
        let text = String(repeating: "x", count: 200)
        return try await withThrowingTaskGroup(of: (tenant: Int, times: [ContinuousClock.Instant]).self) { group in
            for (tenant, store) in stores.enumerated() {
                group.addTask {
                    var times: [ContinuousClock.Instant] = []
                    let own = start + .seconds(1) * Double(tenant) / Double(stores.count)
                    for second in 0..<seconds + Self.warmUp {
                        try await Task.sleep(until: own + .seconds(second))
                        try await store.write { db in try db.execute("INSERT INTO payment (text) VALUES (\(text))") }
                        times.append(.now)
                    }
                    return (tenant, times)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Records when each replica was seen to be complete, and until when.
    private func watch(_ stores: [Store], _ confirmed: Confirmed) async throws {
        while true {
            for (tenant, store) in stores.enumerated() {
                if let until = store.replication?.status.completeUntil { confirmed.record(tenant, until) }
            }
            try await Task.sleep(for: Self.poll)
        }
    }
}

/// When replicas were seen to be complete, and until when.
private final class Confirmed: Sendable {
    private let seen: Mutex<[[(until: ContinuousClock.Instant, at: ContinuousClock.Instant)]]>

    init(_ tenants: Int) { seen = Mutex(Array(repeating: [], count: tenants)) }

    func record(_ tenant: Int, _ until: ContinuousClock.Instant) {
        seen.withLock { seen in
            if seen[tenant].last?.until != until { seen[tenant].append((until, .now)) }
        }
    }

    /// From a commit to the moment at which the replica was seen to have it; nil if it was not.
    func lag(_ tenant: Int, _ commit: ContinuousClock.Instant) -> Duration? {
        seen.withLock { $0[tenant].first { $0.until >= commit }.map { $0.at - commit } }
    }
}

/// The databases of the load.
private struct ReplicatedTenants: Configuration {
    static let target = "tenant"

    let directory: URL
    let replica: Replica

    func filePath(for database: DatabaseName) -> String? {
        directory.appending(path: database.fileName).path(percentEncoded: false)
    }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.raw(TestData.rawKey)) }
    func extensions(for database: DatabaseName) -> [any StoreExtension] { [replica] }
}
