import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Strongroom
import StrongroomService
import StrongroomTesting
import Testing

@Suite("Stores as a service")
struct StoresServiceTests {
    private let stores: Stores
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        stores = try Stores(ClinicConfiguration(TemporaryDirectory()))
    }

    /// A server that writes for each request until it is told to end.
    private struct Server: Service {
        let stores: Stores
        let count: Int

        func run() async throws {
            for number in 0..<count {
                try await stores.withStore("clinic_a.sqlite") { store in
                    try await store.write { db in try db.execute("INSERT INTO line VALUES (\("\(number)"))") }
                }
            }
            try await gracefulShutdown()
            // The stores are there until the services that came after them have ended.
            try await stores.withStore("clinic_a.sqlite") { store in
                try await store.write { db in try db.execute("INSERT INTO line VALUES ('last')") }
            }
        }
    }

    @Test func `a group closes the stores after the services that use them`() async throws {
        try await testGracefulShutdown { trigger in
            let group = ServiceGroup(
                services: [StoresService(stores, logger: logger), Server(stores: stores, count: 10)], logger: logger)
            async let running: Void = group.run()
            while stores.statistics.loans < 10 { await Task.yield() }
            trigger.triggerGracefulShutdown()
            try await running
        }
        #expect(stores.statistics.loans == 11)
        await #expect(throws: StrongroomError.self) { try await stores.open("clinic_a.sqlite") }
    }

    @Test func `a task that is cancelled closes the stores, too`() async throws {
        let store = try await stores.open("clinic_a.sqlite")
        let task = Task { try await StoresService(stores, logger: logger).run() }
        task.cancel()
        try await task.value
        let error = await #expect(throws: StrongroomError.self) { try await store.read { _ in } }
        #expect(error?.code == .closed)
    }
}
