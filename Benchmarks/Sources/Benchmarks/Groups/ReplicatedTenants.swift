import Foundation

extension Group {
    /// The time of a lag is seen by a watch that reads each replica 40 times a second, and counts a commit only when
    /// a later round has begun: lags are too long rather than too short.
    static let replicatedTenants = Group(
        "replicated-tenants",
        "stores with replicas in one process, a write a second each, requests of 20 ms: lag, memory, requests, cost"
    ) { workplace in
        var gauges: [Gauge] = []
        for interval in workplace.intervals {
            let isDefault = interval == .milliseconds(500)
            let load = TenantLoad(
                tenants: workplace.tenants, interval: interval, seconds: 60,
                directory: workplace.directory.appending(path: "tenants"))
            let report = try await load.run()
            func add(_ what: String, _ unit: String, _ amount: Double, limit: Double? = nil) {
                let measure = "\(workplace.tenants) tenants, interval \(interval / .milliseconds(1)) ms, \(what)"
                gauges.append(Gauge(name: measure, unit: unit, amount: amount, limit: limit))
            }
            add("commits seen", "commits", Double(report.lags.count))
            add("lag, median", "ms", report.lag(0.5))
            // The target is that of the default interval.
            add("lag, 99 of 100", "ms", report.lag(0.99), limit: isDefault ? 2_000 : nil)
            add("lag, longest", "ms", report.lag(1))
            add("memory, before the writes", "MB", Double(report.memory.idle) / 1e6)
            add("memory", "MB", Double(report.memory.busy) / 1e6, limit: isDefault ? 256 : nil)
            add("memory of one", "kB", Double(report.memory.busy) / 1e3 / Double(workplace.tenants))
            add("threads", "threads", Double(report.threads))
            add("descriptors", "files", Double(report.descriptors))
            add("PUT", "a minute", report.perMinute(report.requests.puts))
            add("LIST", "a minute", report.perMinute(report.requests.lists))
            add("GET", "a minute", report.perMinute(report.requests.gets))
            add("sent", "MB a minute", report.perMinute(report.requests.bytes) / 1e6)
            add("requests of a month", "dollars", report.monthlyCost)
        }
        return gauges
    }
}
