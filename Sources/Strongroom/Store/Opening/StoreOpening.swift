import Logging

/// The steps from a configuration to an open store. ``run(whenClosed:)``, ``open(_:)`` and ``prepare(_:_:_:)`` list
/// them in the order in which they run: around the opening, without the keys, with the keys.
///
/// A file that is opened read-only and a store in memory go through the same steps; each step knows what it skips for
/// them.
struct StoreOpening: Sendable {
    var context: StoreContext
    private let resources: StoreResources
    private let observers: [any OperationObserver]
    /// The rotation and the migration that the opening makes are parts of it; nil without observers.
    let watch: OperationWatch?
    let stop = CancellationFlag()
    var report = OpenReport()
    private let start = ContinuousClock.now

    /// Requests everything but the keys from a configuration.
    ///
    /// - Parameter observers: Receive the operations of the store.
    init(
        _ name: DatabaseName, _ configuration: any Configuration, sharing resources: StoreResources = StoreResources(),
        _ observers: [any OperationObserver] = [], _ watch: OperationWatch? = nil
    ) throws {
        context = try StoreContext(name, configuration)
        if !context.isInMemory { context.keyEvents = KeyEvents(name, observers) }
        self.resources = resources
        self.observers = observers
        self.watch = watch
    }

    /// Opens the store; to be called on a thread that may block, such as a ``TaskThread``.
    ///
    /// - Parameter whenClosed: Called once, when the store is closed.
    mutating func run(whenClosed: @escaping @Sendable () -> Void = {}) async throws -> Store {
        let extensions = try extensions()
        var undoing: [@Sendable () async -> Void] = []
        do {
            for each in extensions {
                if let undo = try await each._prepare(context.name) { undoing.append(undo) }
            }
            let store = try await open(whenClosed)
            try await attach(extensions, to: store)
            return store
        } catch {
            // Also if the opening was cancelled.
            for undo in undoing { await Task { await undo() }.value }
            throw error
        }
    }

    /// The steps from the path to the store.
    private mutating func open(_ whenClosed: @escaping @Sendable () -> Void) async throws -> Store {
        context = try context.located()
        defer { context.keyEvents?.deliver() }
        if !context.isInMemory { try OpenFiles.shared.claim(context.path, context.name) }
        do {
            let lock = try await acquireLock()
            let (content, sideFiles) = try examineFile()
            let chain = try await keyChain()
            let (keys, unlocked) = try await withTaskCancellationHandler {
                try prepare(content, sideFiles, chain)
            } onCancel: { [stop] in
                stop.set()
            }
            lock?.release()
            if !context.isInMemory { try OpenFiles.shared.identify(context.path) }
            let store = Store(context, keys, unlocked, report, resources, observers, whenClosed: whenClosed)
            context.logger?.info("opened", metadata: report.logged)
            return store
        } catch {
            guard !context.isInMemory else { throw error }
            OpenFiles.shared.release(context.path)
            guard let failure = error as? StrongroomError else { throw error }
            context.keyEvents?.openingFailed(failure)
            throw failure.diagnosed(context.file).namingFullDisk(of: context.path)
        }
    }

    /// The steps that need the keys.
    ///
    /// - Returns: The keys, and the file with the connection that is the store's writer, or its only one.
    private mutating func prepare(
        _ content: FileContent, _ sideFiles: Set<String>, _ chain: KeyChain
    ) throws -> (DatabaseKeys, UnlockedFile) {
        // Of a killed process.
        if context.mayChangeFile { try context.file.removeLeftovers(sideFiles, exists: content != .absent) }
        var (keys, unlocked) = try unlock(content, chain)
        if unlocked.isWrapped { reportSlot(keys.envelope?.openedSlot) }
        do {
            // Before anything is written: a file of a newer program is refused and left unchanged.
            let plan = report.migration == nil ? try context.migrator?.plan(for: unlocked.connection) : nil
            let recorded = try context.requireOwnName(unlocked.connection)
            try rotate(&unlocked, &keys, content)
            try configure(&unlocked)
            try rebuildFullText(unlocked.connection) { try $0.rebuildFullTextWithoutStatistics() }
            let isCreated = report.outcome == .created
            try migrate(unlocked.connection, plan, key: isCreated ? nil : .some(unlocked.derivedKey))
            try rebuildFullText(unlocked.connection) { try $0.rebuildSecureFullText() }
            try recordName(unlocked.connection, recorded)
            // The next opening tries again.
            if unlocked.derivedKey != nil, context.mayChangeFile { try? context.file.remember(.encrypted) }
            report.key = unlocked.position.map { KeyUse(position: $0, count: chain.count) }
            report.unknownKeySlots = keys.envelope?.keySlots.filter(\.isUnknown) ?? []
            report.duration = ContinuousClock.now - start
            return (keys, unlocked)
        } catch {
            guard !context.isInMemory, let error = error as? StrongroomError else { throw error }
            throw error.diagnosed(
                context.file, key: unlocked.position, of: chain.count, unlocked.derivedKey?.settings)
        }
    }
}

/// An extension that this package knows how to start.
package protocol StartedExtension: StoreExtension {
    /// Called with the open store; an error that it throws closes it.
    func attach(to store: Store) async throws
}

extension StoreOpening {
    /// The extensions that the configuration lists; none in memory, where there is no file.
    private func extensions() throws -> [any StartedExtension] {
        guard context.mayChangeFile else { return [] }
        return try context.configuration.extensions(for: context.name).compactMap { $0 as? any StartedExtension }
    }

    private func attach(_ extensions: [any StartedExtension], to store: Store) async throws {
        do {
            for each in extensions { try await each.attach(to: store) }
        } catch {
            try? await store.close()
            throw error
        }
    }
}

/// The steps that inspect and unlock the file.
extension StoreOpening {
    private func acquireLock() async throws -> FileLock? {
        guard !context.isInMemory else { return nil }
        // No file is created beside a file that is opened read-only; its lock file is only used if it exists.
        if context.isReadOnly { try context.file.requireOwnSideFiles() }
        return try await context.file.lockToOpen(within: context.settings.openTimeout)
    }

    /// Determines what is at the path, from its first bytes, and which of the library's files are beside it
    /// (``SideFiles/libraryEndings``). The lock between processes is held, so that only this opening creates and
    /// removes the leftovers among them.
    private mutating func examineFile() throws -> (content: FileContent, sideFiles: Set<String>) {
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

    private func keyChain() async throws -> KeyChain {
        guard !context.isInMemory else { return .plaintext }
        do {
            return try await context.keyChain()
        } catch {
            if !(error is CancellationError) { context.keyEvents?.add(.failed, nil, error as? StrongroomError) }
            throw (error as? StrongroomError)?.diagnosed(context.file, isOfFile: false) ?? error
        }
    }

    /// Finds the key that opens the file, or creates the file.
    private mutating func unlock(_ content: FileContent, _ chain: KeyChain) throws -> (DatabaseKeys, UnlockedFile) {
        let start = ContinuousClock.now
        defer { report.keyDuration = ContinuousClock.now - start - report.migrationDuration }
        return try content == .absent ? create(chain) : context.unlock(content, chain)
    }

    /// Creates the database, in its file or in memory, with the schema of its migrator.
    private mutating func create(_ chain: KeyChain) throws -> (DatabaseKeys, UnlockedFile) {
        report.outcome = .created
        guard !context.isInMemory else { return try createInMemory() }
        var keys = try context.databaseKeys(chain, salt: nil)
        let unlocked = try keys.createFile { connection in
            try migrate(connection, context.migrator?.plan(for: connection), key: nil)
            try recordName(connection, nil)
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

    /// Rotates the file and its envelope to the current key and settings if the policy says so; a plaintext file is
    /// encrypted.
    private mutating func rotate(
        _ unlocked: inout UnlockedFile, _ keys: inout DatabaseKeys, _ content: FileContent
    ) throws {
        guard context.mayChangeFile else { return }
        let start = ContinuousClock.now
        let isRotating = context.settings.rotation.isOnOpen && !keys.chain.isPlaintext
        let options = DatabaseKeys.RotationOptions(
            isRotating: isRotating, isThorough: false,
            // Other callers wait for this opening, and the rotation is tried again at the next one; a plaintext file is
            // encrypted without such delay.
            patience: unlocked.derivedKey == nil ? context.settings.openTimeout : .zero,
            whenReplaced: { [path = context.path] in try OpenFiles.shared.identify(path) })
        do {
            if isRotating { try replaceOldDataKey(&unlocked, &keys) }
            report.rotation = try keys.rewriteAndRenew(&unlocked, salt: content.salt, options) { notRotated($0) }
        } catch {
            watch?.part(.rotate, since: start)?.end(error)
            throw error
        }
        if unlocked.isWrapped { unlocked.position = keys.envelope?.position }
        guard report.rotation != nil || report.rotationFailure != nil else { return }
        watch?.part(.rotate, since: start)?.end(report.rotationFailure)
    }

    /// Adds a new data key, with which the file is rewritten, if the policy requires it.
    private mutating func replaceOldDataKey(_ unlocked: inout UnlockedFile, _ keys: inout DatabaseKeys) throws {
        guard case .after(let days) = context.settings.rotation, unlocked.isWrapped, let key = unlocked.derivedKey,
            let dataKey = try keys.envelope?.dataKey(of: key)
        else { return }
        let connection = unlocked.connection
        let record = try connection.inSnapshot { try connection.recorded(dataKey) }
        guard record?.isOlder(thanDays: days) ?? true else { return }
        do {
            try keys.addDataKey(for: &unlocked)
        } catch let error as StrongroomError {
            notRotated(error)
        }
    }

    private mutating func notRotated(_ error: StrongroomError) {
        context.logger?.warning("not rotated", metadata: ["reason": .string(error.message)])
        report.rotationFailure = error
    }

    /// Reports the slot whose key has opened the envelope.
    private mutating func reportSlot(_ slot: KeySlot?) {
        guard let slot else { return }
        report.keySlot = slot
        context.keyEvents?.add(.opened, slot)
        guard slot.isRecovery else { return }
        context.logger?.notice("opened with a recovery key", metadata: ["slot": "\(slot.fingerprint)"])
    }

    /// Configures the connection that is the store's writer, or its only one.
    private func configure(_ unlocked: inout UnlockedFile) throws {
        guard !context.isInMemory else { return }
        guard !context.isReadOnly else { return try unlocked.connection.configure(as: .reader, of: context.file) }
        let writer =
            unlocked.connection.isReadOnly
            ? try context.file.connect(.existing, key: unlocked.derivedKey) : unlocked.connection
        guard !writer.hasMoved else { throw movedMeanwhile }
        try writer.configure(as: .writer, of: context.file)
        try context.file.removeSpentJournal()
        unlocked.connection = writer
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
