import Configuration
import Hummingbird
import Logging
import ServiceLifecycle
import Strongroom
import StrongroomService

@main
struct Program {
    static func main() async throws {
        let config = ConfigReader(provider: EnvironmentVariablesProvider())
        let logger = Logger(label: "clinics")
        let clinics = Clinics(
            directory: try config.requiredString(forKey: "clinics.directory"),
            settings: try await StoreSettings(config, forKey: "clinics.store"))
        let stores = try Stores(clinics)
        stores.lendingLimits = try await LendingLimits(config, forKey: "clinics.limits")
        let metrics = StoresMetrics(stores)
        stores.operationObserver = OperationObservers(metrics, StoresTracing())

        let server = Application(
            router: ClinicRoutes(clinics: clinics, stores: stores).router,
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: config.int(forKey: "clinics.port", default: 8080))),
            onServerRunning: { channel in
                logger.info("listening", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
            }, logger: logger)
        // They end in reverse order: the server first, when its requests are answered.
        let group = ServiceGroup(
            services: [
                StoresService(stores, logger: logger), metrics, ClinicUpkeep(stores: stores, logger: logger), server,
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}
