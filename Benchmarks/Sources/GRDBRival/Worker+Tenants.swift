import GRDB
import TestData

/// A service with a file for each tenant, as one writes it first: an actor with the open pools.
extension Worker {
    mutating func serveTenants(in directory: String) async throws -> WorkReport {
        let cache = PoolCache(directory: directory)
        let row = TestData.rows(count: 1)[0]
        let run = try await ServiceLoad.run { request in
            let pool = try await cache.pool(request.tenant)
            if request.isWrite {
                try await pool.write { db in
                    var entry = Entry(row)
                    try entry.insert(db)
                }
            } else {
                let page = try await pool.read { db in
                    try Entry.filter(Column("id") >= request.key).order(Column("id")).limit(ServiceLoad.pageSize)
                        .fetchAll(db)
                }
                try Summary(rows: Int64(page.count)).check(Summary(rows: Int64(ServiceLoad.pageSize)))
            }
        }
        try await cache.closeAll()
        tenantRuns.append(run)
        return WorkReport(duration: run.duration, summary: Summary())
    }

    mutating func nextTenantTime(_ work: Work) -> WorkReport {
        let index = reportedRuns[work, default: 0]
        reportedRuns[work] = index + 1
        let share = work == .tenantsHalf ? 0.5 : work == .tenants99 ? 0.99 : 0.999
        return WorkReport(duration: tenantRuns[index].time(of: share), summary: Summary())
    }
}

/// The pools that were used last. One that is dropped is closed when its last user has let go of it.
private actor PoolCache {
    private let directory: String
    private var pools: [Int: DatabasePool] = [:]
    /// The one that was used last comes last.
    private var order: [Int] = []

    init(directory: String) { self.directory = directory }

    func pool(_ tenant: Int) throws -> DatabasePool {
        order.removeAll { $0 == tenant }
        order.append(tenant)
        if let pool = pools[tenant] { return pool }
        let pool = try EncryptedPool.open(
            "\(directory)/\(ServiceLoad.name(tenant))", key: "\"\(TestData.rawKeyText)\"", isChecked: false)
        pools[tenant] = pool
        if order.count > ServiceLoad.openStores { pools[order.removeFirst()] = nil }
        return pool
    }

    func closeAll() throws {
        for pool in pools.values { try pool.close() }
        pools = [:]
    }
}
