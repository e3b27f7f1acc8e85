#if Service
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
        stores.operationObserver = metrics
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
}
#endif
