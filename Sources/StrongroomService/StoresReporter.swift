#if Service
import CoreMetrics
import Metrics
import Strongroom

/// Reports the numbers of a registry and of its families; of counts, what has been added since the last time.
struct StoresReporter: Sendable {
    private let factory: any MetricsFactory
    private let registry: RegistryMetrics
    private var last: StoresStatistics?
    private var families: [String: FamilyMetrics] = [:]

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        registry = RegistryMetrics(factory)
    }

    /// Reports the present numbers.
    ///
    /// - Returns: Whether there still is a registry.
    @discardableResult
    mutating func report(_ stores: Stores?) -> Bool {
        guard let stores else { return false }
        let numbers = stores.statistics
        registry.report(numbers, since: last)
        last = numbers
        for (family, numbers) in stores.familyStatistics {
            var metrics = families[family] ?? FamilyMetrics(family, factory)
            metrics.report(numbers)
            families[family] = metrics
        }
        return true
    }
}

private struct RegistryMetrics: Sendable {
    private let lent, idle, opening, closing, waiting, threads, memory: Gauge
    private let loans, openings, evictions: Counter

    init(_ factory: any MetricsFactory) {
        func gauge(_ label: String, _ state: String? = nil) -> Gauge {
            Gauge(label: label, dimensions: state.map { [("state", $0)] } ?? [], factory: factory)
        }
        func counter(_ label: String) -> Counter { Counter(label: label, factory: factory) }
        lent = gauge("strongroom_stores", "lent")
        idle = gauge("strongroom_stores", "idle")
        opening = gauge("strongroom_stores", "opening")
        closing = gauge("strongroom_stores", "closing")
        waiting = gauge("strongroom_waiting_requests")
        threads = gauge("strongroom_threads")
        memory = gauge("strongroom_engine_memory_bytes")
        loans = counter("strongroom_loans")
        openings = counter("strongroom_store_openings")
        evictions = counter("strongroom_store_evictions")
    }

    func report(_ numbers: StoresStatistics, since last: StoresStatistics?) {
        lent.record(numbers.lent)
        idle.record(numbers.idle)
        opening.record(numbers.opening)
        closing.record(numbers.closing)
        waiting.record(numbers.waiting)
        threads.record(numbers.threads)
        memory.record(numbers.memory)
        loans.increment(by: numbers.loans - (last?.loans ?? 0))
        openings.increment(by: numbers.openings - (last?.openings ?? 0))
        evictions.increment(by: numbers.closedForOthers - (last?.closedForOthers ?? 0))
    }
}

private struct FamilyMetrics: Sendable {
    private let logs, largestLog: Gauge
    private let busyRetries, busyWait, cacheHits, cacheMisses: Counter
    private var last: FamilyStatistics?

    init(_ family: String, _ factory: any MetricsFactory) {
        func gauge(_ label: String) -> Gauge {
            Gauge(label: label, dimensions: [("family", family)], factory: factory)
        }
        func counter(_ label: String) -> Counter {
            Counter(label: label, dimensions: [("family", family)], factory: factory)
        }
        logs = gauge("strongroom_wal_bytes")
        largestLog = gauge("strongroom_largest_wal_bytes")
        busyRetries = counter("strongroom_busy_retries")
        busyWait = counter("strongroom_busy_wait_milliseconds")
        cacheHits = counter("strongroom_page_cache_hits")
        cacheMisses = counter("strongroom_page_cache_misses")
    }

    mutating func report(_ numbers: FamilyStatistics) {
        logs.record(numbers.logBytes)
        largestLog.record(numbers.largestLogBytes)
        busyRetries.increment(by: numbers.busyRetries - (last?.busyRetries ?? 0))
        let busyTime = numbers.busyWait - (last?.busyWait ?? .zero)
        busyWait.increment(by: Int(busyTime / .milliseconds(1)))
        cacheHits.increment(by: numbers.pageCacheHits - (last?.pageCacheHits ?? 0))
        cacheMisses.increment(by: numbers.pageCacheMisses - (last?.pageCacheMisses ?? 0))
        last = numbers
    }
}
#endif
