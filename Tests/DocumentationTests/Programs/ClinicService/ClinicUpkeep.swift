import Logging
import ServiceLifecycle
import Strongroom

/// Migrates the clinics that no request has used since the program was updated, then waits for the program's end.
struct ClinicUpkeep: Service {
    let stores: Stores
    let logger: Logger

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await migrateAll() }
            try await gracefulShutdown()
        } catch is CancellationError {
            // The program ends; the next one goes on.
        }
    }

    private func migrateAll() async throws {
        let names = try stores.databases(of: "clinic")
        let outcomes = try await stores.withEachStore(of: names, atMost: 2) { store in
            store.openReport.migration != nil
        }
        for outcome in outcomes {
            if case .failure(let error) = outcome.result { logger.error("\(outcome.name): \(error)") }
        }
        logger.info("upkeep is done", metadata: ["clinics": "\(outcomes.count)"])
    }
}
