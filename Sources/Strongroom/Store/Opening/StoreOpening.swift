import Logging

/// The steps from a configuration to an open store: ``run(whenClosed:)`` and ``open(_:_:)`` list them in the order in
/// which they run.
///
/// A file that is opened read-only and a store in memory go through the same steps; each step knows what it skips for
/// them.
struct StoreOpening: Sendable {
    var context: StoreContext
    let stop = CancellationFlag()
    /// Receives the rotation and the migration that the opening makes.
    var observer: StoreObserver?
    private let start = ContinuousClock.now

    /// Requests everything but the keys from a configuration.
    ///
    /// - Parameter storage: Where to keep the data; nil for the place in the settings.
    init(_ name: DatabaseName, _ configuration: any Configuration, in storage: Persistence? = nil) throws {
        context = try StoreContext(name, configuration, in: storage)
    }

    /// Opens the store; to be called on a thread that may block, such as that of an ``OpeningExecutor``.
    ///
    /// - Parameters:
    ///   - resources: What the store shares with the other stores of the registry.
    ///   - whenClosed: Called once, when the store is closed.
    mutating func run(
        sharing resources: StoreResources = StoreResources(), whenClosed: @escaping @Sendable () -> Void = {}
    ) async throws -> Store {
        try locateFile()
        try claimFile()
        do {
            let lock = try await acquireLock()
            let found = try examineFile()
            let chain = try await keyChain()
            let opened = try await withTaskCancellationHandler {
                try open(chain, found)
            } onCancel: { [stop] in
                stop.set()
            }
            lock?.release()
            return try makeStore(opened.connection, opened.key, opened.report, resources, whenClosed)
        } catch {
            throw withdraw(after: error)
        }
    }

    /// The steps that need the keys.
    private func open(
        _ chain: KeyChain, _ found: FoundFile
    ) throws -> (connection: Connection, key: ActiveKey, report: OpenReport) {
        var report = OpenReport()
        try removeLeftovers(found)
        var (keys, unlocked) = try unlock(found.content, chain, &report)
        do {
            // Before anything is written: a file of a newer program is refused and left unchanged.
            let plan = try planMigration(unlocked.connection, report)
            let recorded = try context.requireOwnName(unlocked.connection)
            try rotate(&unlocked, &keys, found.content, &report)
            let connection = try configuredConnection(unlocked)
            try rebuildFullText(connection, report) { try $0.rebuildFullTextWithoutStatistics() }
            try migrate(connection, plan, unlocked, &report)
            try rebuildFullText(connection, report) { try $0.rebuildSecureFullText() }
            try recordName(connection, recorded, report)
            rememberEncryption(unlocked)
            finish(&report, unlocked, chain)
            return (connection, keys.activeKey(of: unlocked), report)
        } catch {
            throw diagnosed(error, unlocked, chain)
        }
    }
}

extension StoreOpening {
    private func finish(_ report: inout OpenReport, _ unlocked: UnlockedFile, _ chain: KeyChain) {
        report.key = unlocked.position.map { KeyUse(place: $0, count: chain.count) }
        report.duration = ContinuousClock.now - start
    }

    private func makeStore(
        _ connection: Connection, _ key: ActiveKey, _ report: OpenReport, _ resources: StoreResources,
        _ whenClosed: @escaping @Sendable () -> Void
    ) throws -> Store {
        if !context.isInMemory { try OpenFiles.shared.identify(context.path) }
        let store = Store(context, connection, key, report, resources, whenClosed: whenClosed)
        context.logger?.info("opened", metadata: report.logged)
        return store
    }

    /// Adds what is known of the unlocked file to an error.
    private func diagnosed(_ error: any Error, _ unlocked: UnlockedFile, _ chain: KeyChain) -> any Error {
        guard !context.isInMemory, let error = error as? StrongroomError else { return error }
        return error.diagnosed(
            context.file, key: unlocked.position, of: chain.count, unlocked.derivedKey?.settings)
    }
}
