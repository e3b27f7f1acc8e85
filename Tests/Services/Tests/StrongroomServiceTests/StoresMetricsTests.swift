import CoreMetrics
import MetricsTestKit
import Strongroom
import StrongroomService
import StrongroomTesting
import Testing

@Suite("Metrics of stores")
struct StoresMetricsTests {
    private let stores: Stores
    private let system = TestMetrics()

    init() throws {
        stores = try Stores(ClinicConfiguration(TemporaryDirectory()))
    }

    @Test func `operations are recorded by family, kind and outcome, and by no name of a database`() async throws {
        let metrics = StoresMetrics(stores, factory: system)
        stores.operationObservers = [metrics]
        for name in ["clinic_a.sqlite", "clinic_b.sqlite"] {
            try await stores.withStore(name) { store in
                try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
                await #expect(throws: StrongroomError.self) {
                    try await store.write { db in try db.execute("INSERT INTO line VALUES (NULL)") }
                }
            }
        }
        func values(_ operation: String, _ outcome: String) throws -> [Int64] {
            try system.expectTimer(
                "strongroom_operation", [("family", "clinic"), ("operation", operation), ("outcome", outcome)]
            ).values
        }
        #expect(try values("open", "ok").count == 2)
        #expect(try values("write", "ok").count == 2)
        #expect(try values("write", "constraint").count == 2)
        #expect(try values("write", "ok").allSatisfy { $0 > 0 })
        let waits = try system.expectTimer("strongroom_operation_wait", [("family", "clinic"), ("operation", "write")])
        #expect(waits.values.count == 4)
        #expect(system.timers.allSatisfy { timer in !timer.dimensions.contains { $0.1.contains("clinic_") } })
        try await stores.closeAll()
    }

    @Test func `events of keys are counted by family, kind and use of a recovery key`() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(ClinicConfiguration(directory).wrapped)
        stores.operationObservers = [StoresMetrics(stores, factory: system)]
        let recovery = try await stores.withStore("clinic_a.sqlite") { store in try await store.recoveryKey() }
        try await stores.closeAll()
        let rescuing = try Stores(ClinicConfiguration(directory).wrapped.opened(by: .recovery(recovery)))
        rescuing.operationObservers = [StoresMetrics(rescuing, factory: system)]
        try await rescuing.withStore("clinic_a.sqlite") { _ in }
        try await rescuing.closeAll()
        func count(_ kind: String, _ recovery: String) throws -> Int64 {
            try system.expectCounter(
                "strongroom_key_events", [("family", "clinic"), ("kind", kind), ("recovery", recovery)]
            ).totalValue
        }
        #expect(try count("added", "false") == 2)
        #expect(try count("added", "true") == 1)
        #expect(try count("opened", "true") == 1)
    }

    @Test func `the registry's numbers are reported while the service runs`() async throws {
        try await stores.withStore("clinic_a.sqlite") { _ in }
        let metrics = StoresMetrics(stores, every: .milliseconds(10), factory: system)
        let running = Task { try await metrics.run() }
        try await stores.withStore("clinic_a.sqlite") { _ in }
        running.cancel()
        try await running.value
        #expect(try system.expectGauge("strongroom_stores", [("state", "idle")]).lastValue == 1)
        #expect(try system.expectCounter("strongroom_loans").totalValue == 2)
        #expect(try system.expectCounter("strongroom_store_openings").totalValue == 1)
        #expect(try (system.expectGauge("strongroom_engine_memory_bytes").lastValue ?? 0) > 0)
        try await stores.closeAll()
    }

    @Test func `WALs, waits and page caches are reported by family, each addition once`() async throws {
        let opened = [try await stores.open("clinic_a.sqlite"), try await stores.open("clinic_b.sqlite")]
        let metrics = StoresMetrics(stores, every: .milliseconds(10), factory: system)
        let running = Task { try await metrics.run() }
        for number in 0..<20 {
            for store in opened {
                try await store.write { db in try db.execute("INSERT INTO line VALUES (\(number))") }
                _ = try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        try await opened[0].close()
        running.cancel()
        try await running.value
        let numbers = try #require(stores.familyStatistics["clinic"])
        func counter(_ label: String) throws -> Int64 {
            try system.expectCounter(label, [("family", "clinic")]).totalValue
        }
        func gauge(_ label: String) throws -> Double? {
            try system.expectGauge(label, [("family", "clinic")]).lastValue
        }
        #expect(try counter("strongroom_page_cache_hits") == Int64(numbers.pageCacheHits))
        #expect(try counter("strongroom_page_cache_misses") == Int64(numbers.pageCacheMisses))
        #expect(try counter("strongroom_busy_retries") == Int64(numbers.busyRetries))
        #expect(try counter("strongroom_busy_wait_milliseconds") == Int64(numbers.busyWait / .milliseconds(1)))
        #expect(numbers.pageCacheHits > 0 && numbers.pageCacheMisses > 0)
        #expect(try gauge("strongroom_wal_bytes") == Double(numbers.logBytes) && numbers.logBytes > 0)
        #expect(try gauge("strongroom_largest_wal_bytes") == Double(numbers.largestLogBytes))
        let dimensions = system.counters.flatMap(\.dimensions) + system.recorders.flatMap(\.dimensions)
        #expect(dimensions.allSatisfy { !$0.1.contains("clinic_") } && dimensions.contains { $0.1 == "clinic" })
        try await stores.closeAll()
    }
}
