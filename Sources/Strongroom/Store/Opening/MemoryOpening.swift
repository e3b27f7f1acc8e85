import Logging

/// The way from a configuration to a store in memory.
///
/// A database in memory belongs to the connection that made it, so there is one, with which those who read and those
/// who write take turns.
struct MemoryOpening: Sendable {
    let name: DatabaseName
    let settings: StoreSettings
    let logger: Logger?
    let migrator: Migrator?

    init(_ name: DatabaseName, _ configuration: any Configuration, _ settings: StoreSettings) throws {
        var logger = configuration.logger(for: name)
        logger?[metadataKey: "database"] = .string(name.fileName)
        self.init(
            name, settings, logger: logger, migrator: try configuration.migrator(for: name))
    }

    init(_ name: DatabaseName, _ settings: StoreSettings, logger: Logger? = nil, migrator: Migrator?) {
        self.name = name
        self.settings = settings
        self.logger = logger
        self.migrator = migrator
    }

    static let path = ":memory:"

    /// Makes the database and opens it.
    ///
    /// - Parameter whenClosed: Called once, when it is gone.
    func store(whenClosed: @escaping @Sendable () -> Void = {}) async throws -> Store {
        let (connection, report) = try await make()
        let pool = ConnectionPool(
            database: name.fileName,
            settings: settings,
            readerCount: 0,
            writer: connection,
            // The one that there was has been given up with what was in it, and an empty one would pass for it.
            open: { [name] _ in throw Self.lost(name) },
            firstUses: AutomaticTables(isKept: migrator != nil),
            whenClosed: { [logger] in
                whenClosed()
                logger?.info("closed")
            }
        )
        logger?.info("opened", metadata: report.logged)
        return Store(
            name: name, path: Self.path, opening: report, file: StoreFile(inMemory: name), pool: pool)
    }

    private func make() async throws -> (Connection, OpenReport) {
        let start = ContinuousClock.now
        try migrator?.check()
        let stop = CancellationFlag()
        return try await stop.running {
            _ = try EngineFeatures.current()
            let connection = try Connection(path: Self.path, mode: .create, database: name.fileName)
            try connection.silenceLog()
            try connection.configure(as: .sole, busyTimeout: 0)
            if settings.recursiveTriggers { try connection.allowRecursiveTriggers() }
            connection.log(StatementLog.Settings(logger, slow: settings.slowStatement), as: .sole)
            let migrationStart = ContinuousClock.now
            let migration = try migrator.map { migrator in
                try migrator.carryOut(migrator.plan(for: connection), on: connection, MigrationRun(stop: stop))
            }
            let report = OpenReport(
                outcome: .created, key: nil, migration: migration, rotation: nil, rotationFailure: nil,
                keyDuration: .zero, migrationDuration: ContinuousClock.now - migrationStart,
                duration: ContinuousClock.now - start)
            return (connection, report)
        }
    }

    private static func lost(_ name: DatabaseName) -> StrongroomError {
        StrongroomError(
            .inMemory,
            """
            The engine could not end a transaction, so its connection was closed, and with it went what the store had \
            in memory. Close the store, and open it again.
            """,
            database: name.fileName)
    }
}
