import Foundation
import Strongroom
import TestData

/// A service with a file for each tenant: its stores are lent.
final class TenantService: Sendable {
    private let directory: URL
    private let stores: Stores
    private let row = Entry(TestData.rows(count: 1)[0])

    /// Makes the files.
    init(_ workplace: Workplace, _ name: String) async throws {
        directory = workplace.directory.appending(path: name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        stores = try Stores(
            Tenants(directory: directory, settings: StoreSettings(readers: TestData.readerCount)))
        let samples = TestData.rows(count: ServiceLoad.rowCount).map(Entry.init)
        let names = try (0..<ServiceLoad.tenantCount).map { try DatabaseName(ServiceLoad.name($0)) }
        let made = try await stores.withEachStore(of: names) { store in
            try await store.write { db in _ = try Entry.insert(contentsOf: samples, in: db) }
        }
        for outcome in made { _ = try outcome.result.get() }
        stores.lendingLimits.openStores = ServiceLoad.openStores
    }

    /// Makes the files for another side, and closes them.
    static func makeFiles(_ workplace: Workplace, _ name: String) async throws -> URL {
        let service = try await TenantService(workplace, name)
        try await service.stores.closeAll()
        return service.directory
    }

    func run() async throws -> ServiceLoad {
        let load = try await ServiceLoad.run { [stores, row] request in
            try await stores.withStore(ServiceLoad.name(request.tenant)) { store in
                if request.isWrite {
                    try await store.write { db in _ = try Entry.insert(row, in: db) }
                } else {
                    let page = try await store.read { db in
                        try Entry.where { $0.id >= request.key }.order { $0.id.ascending }.limit(ServiceLoad.pageSize)
                            .fetch(in: db)
                    }
                    try Summary(rows: Int64(page.count)).check(Summary(rows: Int64(ServiceLoad.pageSize)))
                }
            }
        }
        try await stores.closeAll()
        return load
    }

    /// How many of the requests find their store closed, of a load of their own.
    func shareOfOpenings() async throws -> Gauge {
        let before = stores.statistics.openings
        _ = try await run()
        let share = Double(stores.statistics.openings - before) / Double(ServiceLoad.requestCount)
        return Gauge(name: "service, requests that open their store", unit: "%", amount: 100 * share)
    }

    /// What a tenant costs that is open and has been idle for some seconds.
    func costOfIdleTenants() async throws -> [Gauge] {
        guard ProcessStatus.isAvailable else { return [] }
        let before = try ProcessStatus.current()
        let count = ServiceLoad.openStores
        for tenant in 0..<count {
            try await stores.withStore(ServiceLoad.name(tenant)) { store in
                _ = try await store.read { db in try Entry.count(in: db) }
                try await store.write { [row] db in _ = try Entry.insert(row, in: db) }
            }
        }
        // Its readers are closed after a second, and threads without work end after five.
        try await Task.sleep(for: .seconds(12))
        let after = try ProcessStatus.current()
        func gauge(_ name: String, _ unit: String, _ amount: Int, limit: Double?) -> Gauge {
            Gauge(name: "idle tenant, \(name)", unit: unit, amount: Double(amount) / Double(count), limit: limit)
        }
        var gauges = [
            gauge("descriptors", "files", after.descriptors - before.descriptors, limit: 2),
            gauge("threads", "threads", after.threads - before.threads, limit: 0),
            gauge("resident memory", "kB", (after.memory - before.memory) / 1_000, limit: 300),
        ]
        if let early = before.allocated, let late = after.allocated {
            gauges.append(gauge("allocated memory", "kB", (late - early) / 1_000, limit: nil))
        }
        try await stores.closeAll()
        return gauges
    }
}
