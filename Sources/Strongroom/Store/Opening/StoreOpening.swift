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
    init(_ name: DatabaseName, _ configuration: any Configuration) throws {
        context = try StoreContext(name, configuration)
    }

    /// The extensions that the configuration lists; none in memory, where there is no file.
    func extensions() throws -> [any StartedExtension] {
        guard !context.isInMemory, !context.isReadOnly else { return [] }
        return try context.configuration.extensions(for: context.name).compactMap { $0 as? any StartedExtension }
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
        _ chain: KeyChain, _ found: (content: FileContent, sideFiles: Set<String>)
    ) throws -> (connection: Connection, key: ActiveKey, report: OpenReport) {
        var report = OpenReport()
        try removeLeftovers(found.content, found.sideFiles)
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

/// An extension that this package knows how to start.
package protocol StartedExtension: StoreExtension {
    /// Called with the open store; an error that it throws closes it.
    func attach(to store: Store) async throws
}

/// The steps that locate and inspect the file.
extension StoreOpening {
    /// Resolves the path, and creates the directory.
    mutating func locateFile() throws {
        context = try context.located()
    }

    /// Prevents this process from opening the file a second time.
    func claimFile() throws {
        guard !context.isInMemory else { return }
        try OpenFiles.shared.claim(context.path, context.name)
    }

    /// Prevents other processes from opening it.
    func acquireLock() async throws -> FileLock? {
        guard !context.isInMemory else { return nil }
        // No file is created beside a file that is opened read-only; its lock file is only used if it exists.
        if context.isReadOnly { try context.file.requireOwnSideFiles() }
        return try await context.file.lockToOpen(within: context.settings.openTimeout)
    }

    /// Determines what is at the path, from its first bytes, and which of the library's files are beside it
    /// (``SideFiles/libraryEndings``). The lock between processes is held, so that only this opening creates and
    /// removes the leftovers among them.
    mutating func examineFile() throws -> (content: FileContent, sideFiles: Set<String>) {
        guard !context.isInMemory else { return (.absent, []) }
        guard context.isReadOnly else {
            let sideFiles = try context.file.requireOwnSideFiles()
            return (try FileContent.of(context.path), sideFiles)
        }
        context = try context.withBaseline()
        let content = try FileContent.of(context.path)
        guard content != .absent else { throw context.file.missing }
        return (content, [])
    }

    /// Removes files that a killed process has left next to the file.
    func removeLeftovers(_ content: FileContent, _ sideFiles: Set<String>) throws {
        guard !context.isInMemory, !context.isReadOnly else { return }
        try context.file.removeLeftovers(sideFiles, exists: content != .absent)
    }

    /// Releases the file after a failure.
    ///
    /// - Returns: The error with what is known of the file.
    func withdraw(after error: any Error) -> any Error {
        guard !context.isInMemory else { return error }
        OpenFiles.shared.release(context.path)
        return (error as? StrongroomError)?.diagnosed(context.file).namingFullDisk(of: context.path) ?? error
    }
}

extension StrongroomError {
    /// The error of an opening that found the disk full: the engine, which reports it, names no directory, and there
    /// is no change of which nothing was kept.
    fileprivate func namingFullDisk(of path: String) -> StrongroomError {
        guard code == .diskFull, resultCode != nil else { return self }
        var named = StrongroomError(
            .diskFull,
            """
            The disk of "\(FileSystem.directory(of: path))" is full, and opening "\(FileSystem.name(of: path))" needs \
            space there for its write-ahead log. Free space, then open it again.
            """,
            database: database, sql: sql, resultCode: resultCode)
        named.finding = finding
        return named
    }
}

/// The steps that unlock the file.
extension StoreOpening {
    func keyChain() async throws -> KeyChain {
        guard !context.isInMemory else { return .plaintext }
        do {
            return try await context.keyChain()
        } catch let error as StrongroomError {
            throw error.diagnosed(context.file, isOfFile: false)
        }
    }

    /// Finds the key that opens the file, or creates the file.
    func unlock(
        _ content: FileContent, _ chain: KeyChain, _ report: inout OpenReport
    ) throws -> (DatabaseKeys, UnlockedFile) {
        let start = ContinuousClock.now
        defer { report.keyDuration = ContinuousClock.now - start - report.migrationDuration }
        return try content == .absent ? create(chain, &report) : context.unlock(content, chain)
    }

    /// The connection that is the store's writer, or its only one, configured for that.
    func configuredConnection(_ unlocked: UnlockedFile) throws -> Connection {
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
            Another program replaced "\(context.path)" while it was opened. Nothing was written; open it again.
            """,
            database: context.name.fileName
        )
    }
}

/// Creates what is opened.
extension StoreOpening {
    /// Creates the database, in its file or in memory, with the schema of its migrator.
    func create(_ chain: KeyChain, _ report: inout OpenReport) throws -> (DatabaseKeys, UnlockedFile) {
        report.outcome = .created
        guard !context.isInMemory else { return try createInMemory() }
        var keys = try context.databaseKeys(chain, salt: nil)
        let unlocked = try keys.createFile { connection in
            try migrate(connection, context.migrator?.plan(for: connection), nil, &report)
            try recordName(connection, nil, report)
        }
        return (keys, unlocked)
    }

    /// A database in memory belongs to the connection that created it, so reads and writes share that one connection.
    private func createInMemory() throws -> (DatabaseKeys, UnlockedFile) {
        _ = try EngineFeatures.current()
        let connection = try Connection(path: context.path, mode: .create, database: context.file.name)
        try connection.silenceLog()
        try connection.install(context.file.functions)
        try connection.configure(as: .inMemory, of: context.file)
        return (DatabaseKeys(context.file, trying: [], []), UnlockedFile(derivedKey: nil, connection: connection))
    }
}
