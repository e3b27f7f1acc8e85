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
            keyFile: KeyFile(try config.requiredString(forKey: "clinics.keyFile")),
            settings: try await StoreSettings(config, forKey: "clinics.store"), logger: logger)
        // Fails now rather than at each request.
        _ = try clinics.keyFile.keyChain()
        let stores = try Stores(clinics)
        stores.lendingLimits = try await LendingLimits(config, forKey: "clinics.limits")
        let metrics = StoresMetrics(stores)
        stores.operationObservers = [metrics, StoresTracing()]

        let patience = Duration.seconds(config.int(forKey: "clinics.patienceSeconds", default: 5))
        let routes = ClinicRoutes(clinics: clinics, stores: stores, patience: patience, logger: logger)
        let server = Application(
            router: routes.router,
            configuration: ApplicationConfiguration(
                address: .hostname(
                    config.string(forKey: "clinics.host", default: "127.0.0.1"),
                    port: config.int(forKey: "clinics.port", default: 8080))),
            onServerRunning: { channel in
                logger.info("listening", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
            }, logger: logger)
        let services: [any Service] = [
            metrics, StoresService(stores, logger: logger), ClinicUpkeep(stores: stores, logger: logger), server,
        ]
        var group = ServiceGroupConfiguration(
            services: services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(120)
        try await ServiceGroup(configuration: group).run()
    }
}
