import Logging

/// The way from a configuration to an open store: ``run(whenClosed:)`` and ``open(_:_:)`` are the list of its steps, in
/// the order in which they run.
///
/// A file that is opened read-only, and a store in memory, take the same way; each step knows what it leaves out for
/// them.
struct StoreOpening: Sendable {
    private(set) var context: StoreContext
    let stop = MigrationStop()
    private let start = ContinuousClock.now

    /// Asks a configuration for everything but the keys.
    ///
    /// - Parameter storage: Where the data is to lie; nil for where the settings say.
    init(_ name: DatabaseName, _ configuration: any Configuration, in storage: StoragePlace? = nil) throws {
        context = try StoreContext(name, configuration, in: storage)
    }

    /// - Parameter whenClosed: Called once, when the store is closed.
    mutating func run(whenClosed: @escaping @Sendable () -> Void = {}) async throws -> Store {
        try locateFile()
        try claimFile()
        do {
            let lock = try await acquireLock()
            let content = try examineFile()
            let chain = try await keyChain()
            let opened = try await stop.running { [self] in try open(chain, content) }
            lock?.release()
            return try makeStore(opened.connection, opened.key, opened.report, whenClosed)
        } catch {
            throw withdraw(after: error)
        }
    }

    /// The steps that wait for the disk and for derivations; on a thread of their own.
    private func open(
        _ chain: KeyChain, _ content: FileContent
    ) throws -> (connection: Connection, key: ActiveKey, report: OpenReport) {
        var report = OpenReport()
        try removeLeftovers(beside: content)
        var (keys, unlocked) = try unlock(content, chain, &report)
        do {
            // Before anything is written: a file of a newer program is refused as it is.
            let plan = try planMigration(unlocked.connection, report)
            try rotate(&unlocked, &keys, content, &report)
            let connection = try configuredConnection(unlocked)
            try migrate(connection, plan, unlocked, &report)
            finish(&report, unlocked, chain)
            return (connection, keys.activeKey(of: unlocked), report)
        } catch {
            throw diagnosed(error, unlocked, chain)
        }
    }
}

// MARK: The file

extension StoreOpening {
    /// Finds the path, and makes the directory.
    private mutating func locateFile() throws {
        context = try context.located()
    }

    /// Keeps this process from opening the file a second time.
    private func claimFile() throws {
        guard !context.isInMemory else { return }
        try OpenFiles.shared.claim(context.path, context.name)
    }

    /// Keeps other processes from opening it.
    private func acquireLock() async throws -> FileLock? {
        guard !context.isInMemory else { return nil }
        // Nothing is made beside a file that is opened read-only, and its lock file is only used if it is one.
        if context.isReadOnly { try context.file.requireOwnCompanions() }
        return try await context.file.lockToOpen(within: context.settings.openTimeout)
    }

    /// Looks what lies at the path, by its first bytes.
    private mutating func examineFile() throws -> FileContent {
        guard !context.isInMemory else { return .absent }
        guard context.isReadOnly else {
            try context.file.requireOwnCompanions()
            return try FileContent.of(context.path)
        }
        context = try context.withBaseline()
        let content = try FileContent.of(context.path)
        guard content != .absent else { throw context.file.missing }
        return content
    }

    /// Removes what a killed process has left beside the file.
    private func removeLeftovers(beside content: FileContent) throws {
        guard !context.isInMemory, !context.isReadOnly else { return }
        try context.file.removeLeftovers(isThere: content != .absent)
    }
}

// MARK: The key

extension StoreOpening {
    private func keyChain() async throws -> KeyChain {
        guard !context.isInMemory else { return .plaintext }
        do {
            return try await context.keyChain()
        } catch let error as StrongroomError {
            throw error.diagnosed(context.file, isOfFile: false)
        }
    }

    /// Finds the key that opens the file, or makes the file.
    private func unlock(
        _ content: FileContent, _ chain: KeyChain, _ report: inout OpenReport
    ) throws -> (DatabaseKeys, UnlockedFile) {
        let start = ContinuousClock.now
        defer { report.keyDuration = ContinuousClock.now - start - report.migrationDuration }
        guard content == .absent else { return try context.unlock(content, chain) }
        report.outcome = .created
        return context.isInMemory ? try makeInMemory() : try makeFile(chain, &report)
    }

    /// The connection that is the store's writer, or its only one, set up for that.
    private func configuredConnection(_ unlocked: UnlockedFile) throws -> Connection {
        guard !context.isInMemory else { return unlocked.connection }
        guard !context.isReadOnly else {
            try unlocked.connection.configure(as: .reader, of: context.file)
            return unlocked.connection
        }
        let writer =
            unlocked.connection.isReadOnly
            ? try context.file.connect(.existing, key: unlocked.derivedKey) : unlocked.connection
        guard !writer.hasMoved else { throw movedMeanwhile }
        try writer.configure(as: .writer, of: context.file)
        try context.file.removeSpentJournal()
        return writer
    }

    private var movedMeanwhile: StrongroomError {
        StrongroomError(
            .fileChanged,
            """
            Another program has put another file in the place of "\(context.path)" while it was opened. Nothing was \
            written; open it again.
            """,
            database: context.name.fileName
        )
    }
}

// MARK: The schema

extension StoreOpening {
    /// What is to be done to the schema; nil when it has been done, as to a file that was made.
    private func planMigration(_ connection: Connection, _ report: OpenReport) throws -> Migrator.Plan? {
        guard report.migration == nil else { return nil }
        return try context.migrator?.plan(for: connection)
    }

    /// Does it, if it is to be done at an opening.
    ///
    /// - Parameter unlocked: The file that a snapshot is made of; nil for one that is being made.
    func migrate(
        _ connection: Connection, _ plan: Migrator.Plan?, _ unlocked: UnlockedFile?, _ report: inout OpenReport
    ) throws {
        guard let plan, let migrator = context.migrator else { return }
        let isNew = report.outcome == .created
        let isDue = isNew || !context.isReadOnly && context.settings.migration == .onOpen
        guard isDue else { return context.warn(of: plan) }
        let start = ContinuousClock.now
        defer { report.migrationDuration = ContinuousClock.now - start }
        report.migration = try context.carryOut(
            plan, of: migrator, on: connection, key: isNew ? nil : unlocked.map(\.derivedKey), MigrationRun(stop: stop))
    }
}

// MARK: The end

extension StoreOpening {
    private func finish(_ report: inout OpenReport, _ unlocked: UnlockedFile, _ chain: KeyChain) {
        report.key = unlocked.position.map { KeyUse(place: $0, count: chain.count) }
        report.duration = ContinuousClock.now - start
    }

    private func makeStore(
        _ connection: Connection, _ key: ActiveKey, _ report: OpenReport, _ whenClosed: @escaping @Sendable () -> Void
    ) throws -> Store {
        if !context.isInMemory { try OpenFiles.shared.identify(context.path) }
        let store = Store(context, connection, key, report, whenClosed: whenClosed)
        context.logger?.info("opened", metadata: report.logged)
        return store
    }

    /// The error with what is known of the file that could be unlocked.
    private func diagnosed(_ error: any Error, _ unlocked: UnlockedFile, _ chain: KeyChain) -> any Error {
        guard !context.isInMemory, let error = error as? StrongroomError else { return error }
        return error.diagnosed(
            context.file, key: unlocked.position, of: chain.count, unlocked.derivedKey?.settings)
    }

    /// Gives up the file.
    ///
    /// - Returns: The error with what is known of the file.
    private func withdraw(after error: any Error) -> any Error {
        guard !context.isInMemory else { return error }
        OpenFiles.shared.release(context.path)
        return (error as? StrongroomError)?.diagnosed(context.file) ?? error
    }
}
