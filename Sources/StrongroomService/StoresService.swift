#if Service
public import Logging
public import ServiceLifecycle
public import Strongroom

/// The stores of a program as a service of swift-service-lifecycle: when the program is asked to end, the registry
/// refuses new work, waits for the users of its stores, and closes them.
///
/// A `ServiceGroup` ends its services in reverse order, so the stores come before the server that uses them:
///
/// ```swift
/// let group = ServiceGroup(
///     services: [StoresService(stores, logger: logger), server],
///     gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
public struct StoresService: Service {
    private let stores: Stores
    private let deadline: Duration
    private let logger: Logger

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - stores: The registry.
    ///   - deadline: How long a shutdown waits for the users of lent stores, and then at most as long again for
    ///     operations that run.
    ///   - logger: Gets a line about the shutdown, and a warning for each use that held it up.
    public init(_ stores: Stores, deadline: Duration = .seconds(10), logger: Logger) {
        self.stores = stores
        self.deadline = deadline
        self.logger = logger
    }

    /// Waits until the program is asked to end, or the task is cancelled, and shuts the registry down.
    public func run() async throws {
        try? await gracefulShutdown()
        let report = await stores.shutDown(within: deadline)
        for holder in report.holders { logger.warning("the shutdown did not wait longer for \(holder)") }
        for name in report.unclosed { logger.warning("\(name) was not closed: an operation is still running") }
        for failure in report.failures { logger.error("closing failed: \(failure)") }
        if report.unclosed.isEmpty {
            logger.info("the stores are closed", metadata: ["duration": "\(report.duration)"])
        }
    }
}
#endif
