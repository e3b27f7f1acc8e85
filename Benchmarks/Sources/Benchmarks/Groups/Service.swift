import Foundation
import Strongroom
import Synchronization
import TestData

extension Group {
    /// GRDB's side is an actor with the pools that were used last, which opens one after the other; C's a thread for each
    /// client, and one connection for each file. Each side has files of its own: it finds what it has left beside them.
    static let service = Group(
        "service",
        """
        a service with 1,000 files of 200 rows, 100 of them open, 32 requests at the same time, the tenants by Zipf's \
        law, four of five requests read a page
        """
    ) { workplace in
        let service = try await TenantService(workplace, "tenants")
        let path = try await TenantService.makeFiles(workplace, "pools").path(percentEncoded: false)
        let inC = try await RivalService(TenantService.makeFiles(workplace, "connections"))
        let (runs, runsInC) = (ServiceRuns(), ServiceRuns())
        func rival(_ work: Work, target: Double?) -> Measure.Side? {
            workplace.grdb.map { process in
                Measure.Side(name: "GRDB, a cache of pools", target: target) {
                    try process.run(work, atPath: path).duration
                }
            }
        }
        func latency(_ name: String, _ share: Double, _ work: Work, target: Double?) -> Measure {
            Measure(
                name: "service, \(name)", unit: .milliseconds, ours: runs.times(of: share),
                rival: .init(name: "C", target: nil, run: runsInC.times(of: share)), grdb: rival(work, target: target))
        }
        let throughput = Measure(
            name: "service", unit: .rate(ServiceLoad.requestCount, "requests"),
            ours: { try await runs.add(service.run()) },
            rival: .init(name: "C", target: nil) { try runsInC.add(inC.run()) },
            grdb: rival(.tenants, target: 3))
        return [
            throughput, latency("p50", 0.5, .tenantsHalf, target: nil), latency("p99", 0.99, .tenants99, target: 3),
            latency("p99.9", 0.999, .tenants999, target: nil), try await service.shareOfOpenings(),
        ] + (try await service.costOfIdleTenants())
    }
}

/// The runs of the first measure, of which the others report the times, one after the other.
private final class ServiceRuns: Sendable {
    private let runs = Mutex<[ServiceLoad]>([])

    func add(_ run: ServiceLoad) -> Duration {
        runs.withLock { $0.append(run) }
        return run.duration
    }

    /// - Returns: A function whose next call returns the time of the next run within which a share was answered.
    func times(of share: Double) -> @Sendable () -> Duration {
        let reported = Atomic(0)
        return { [self] in
            let index = reported.wrappingAdd(1, ordering: .relaxed).oldValue
            return runs.withLock { $0[index].time(of: share) }
        }
    }
}
