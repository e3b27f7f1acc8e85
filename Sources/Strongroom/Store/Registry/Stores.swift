import Logging

/// The configurations of a program and its open stores.
///
/// ```swift
/// let stores = try Stores(AddressBook(), Inventory())
/// let store = try await stores.open("addressbook_alice.sqlite")
/// ```
public final class Stores: Sendable {
    private struct State {
        var configurations: [String: any Configuration] = [:]
        /// The targets whose configuration was discovered, not registered.
        var discovered: Set<String> = []
        /// The error for a target whose discovered configurations conflict.
        var faults: [String: StrongroomError] = [:]
        var openings: [DatabaseName: SharedOpening] = [:]
        var hasShutDown = false

        func configuration(of name: DatabaseName) throws -> any Configuration {
            if let fault = faults[name.target] { throw fault.naming(name.fileName) }
            if let configuration = configurations[name.target] { return configuration }
            let known =
                configurations.isEmpty
                ? "none is registered" : "registered are \(configurations.keys.sorted().joined(separator: ", "))"
            throw StrongroomError(
                .noConfiguration,
                """
                There is no configuration for the target "\(name.target)"; \(known). Register one, or correct the \
                name.
                """,
                database: name.fileName
            )
        }
    }

    private let state = Locked(State())

    /// What the open stores share.
    let resources = Locked(StoreResources())

    /// The stores that are lent, and those that are kept open for the next borrower.
    let lending = Locked(Lending())
    let holders = StoreHolders()
    let shutdown = ShutdownSignal()
    let idleSweep = IdleTimer(time: .seconds(1))

    /// The program's registry: it has every type that is marked `@Configuration` in any module of the program.
    ///
    /// If two marked types have the same target, opening one of its databases throws an error that names both. A
    /// registered configuration replaces a discovered one of the same target.
    public static let shared = Stores(discovering: _ConfigurationEntry.all())

    /// Creates a registry without configurations.
    public init() {}

    /// Creates a registry.
    ///
    /// - Parameter configurations: One for each family of databases.
    /// - Throws: ``StrongroomError`` with `duplicateConfiguration` if two have the same target, naming both types;
    ///   `invalidName` for a target that no database name can have.
    public init(_ configurations: any Configuration...) throws {
        for configuration in configurations { try register(configuration) }
    }

    /// A registry with one configuration for databases of any target; for one that wraps another, or has no type of its
    /// own.
    package convenience init(answering target: String, with configuration: any Configuration) {
        self.init()
        state.withLock { $0.configurations[target] = configuration }
    }

    private init(discovering entries: [_ConfigurationEntry]) {
        var found = State()
        for (target, entries) in Dictionary(grouping: entries, by: { $0.type.target }) {
            if entries.count > 1 {
                found.faults[target] = Self.duplicate(entries[0].type, entries[1].type, target)
            } else {
                found.configurations[target] = entries[0].make()
                found.discovered.insert(target)
            }
        }
        state.withLock { $0 = found }
    }

    /// Adds a configuration.
    ///
    /// - Parameter configuration: The configuration of a family.
    /// - Throws: ``StrongroomError`` with `duplicateConfiguration` if its target already has one, naming both types;
    ///   `invalidName` for a target that no database name can have.
    public func register(_ configuration: any Configuration) throws {
        let target = type(of: configuration).target
        guard try DatabaseName(target).target == target else {
            throw StrongroomError(
                .invalidName, "The target \"\(target)\" has a \"_\" or \".\" in it; use the part before it.")
        }
        let fault = state.withLock { state -> StrongroomError? in
            if let fault = state.faults[target] { return fault }
            if let holder = state.configurations[target] {
                let isReplaced = state.discovered.contains(target) && type(of: holder) == type(of: configuration)
                guard isReplaced else { return Self.duplicate(type(of: holder), type(of: configuration), target) }
            }
            state.configurations[target] = configuration
            state.discovered.remove(target)
            return nil
        }
        if let fault { throw fault }
    }

    private static func duplicate(_ first: Any.Type, _ second: Any.Type, _ target: String) -> StrongroomError {
        StrongroomError(
            .duplicateConfiguration,
            "The configurations \(first) and \(second) both have the target \"\(target)\"; rename one."
        )
    }

    /// Receives each operation of stores that are opened from now on; nil for none, which is the default.
    public var operationObserver: (any OperationObserver)? {
        get { resources.withLock { $0.observer } }
        set { resources.withLock { $0.observer = newValue } }
    }

    /// The targets that have a configuration, in alphabetical order.
    public var targets: [String] {
        state.withLock { $0.configurations.keys.sorted() }
    }

    /// Opens a database: finds its configuration, creates the file or finds its key, and migrates it.
    ///
    /// Opening the name of an open store returns that store; if the store is being closed, a new one is opened once
    /// that is done. A configuration may open other databases to obtain its keys; work that it starts without waiting
    /// for belongs in a `Task.detached`, so that the opening is not considered to wait for it.
    ///
    /// - Parameter fileName: The database's name, such as `addressbook_alice.sqlite`.
    /// - Returns: The store; ``Store/opening`` reports what was done.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`, `alreadyOpen`,
    ///   `locked`, `notAFile`, `fileMissing`, `fileChanged`, `emptyFile`, `notADatabase`, `truncated`, `damaged`,
    ///   `damagedLog`, `wrongKey`, `plaintextFile`, `plaintextHeader`, `noAuthentication`, `encryptedFile`,
    ///   `newerSchema`, `migrationFailed`, `permissionDenied`, `diskFull`, `notSQLCipher`; `envelopeMissing`,
    ///   `envelopeDamaged`, `newerEnvelope`, `foreignEnvelope`; `closed` after ``shutDown(within:)``; `nestedAccess` if
    ///   its configuration opens a database whose opening waits for this one; what the configuration throws.
    public func open(_ fileName: String) async throws -> Store {
        try await open(DatabaseName(fileName))
    }

    /// Opens a database whose name is already validated.
    ///
    /// - Parameter name: The database's name.
    /// - Returns: The store.
    /// - Throws: As `open`.
    public func open(_ name: DatabaseName) async throws -> Store {
        try await open(name, in: nil)
    }

    /// - Parameters:
    ///   - place: Where to keep its data; nil for the place in its settings.
    func open(_ name: DatabaseName, in place: Persistence?) async throws -> Store {
        let (opening, found, _) = try await borrow(name, in: place)
        do {
            let store = try found.lying(in: place)
            end(opening, .keeping)
            return store
        } catch {
            if let left = end(opening, .failing) { try? await left.close() }
            throw error
        }
    }

    /// Opens a database temporarily; its store is closed if no other caller has opened it meanwhile.
    ///
    /// - Returns: The opening, to be returned with ``release(_:)``, its store, and whether this call opened it.
    func borrow(
        _ name: DatabaseName, in place: Persistence? = nil
    ) async throws -> (opening: SharedOpening, store: Store, isFirst: Bool) {
        while true {
            let (opening, isFirst) = try opening(of: name, in: place)
            let store: Store
            do {
                store = try await OpeningWaits.wait(for: opening.id) { try await opening.wait() }
            } catch {
                // A borrower may have left the store to this caller alone.
                if let left = end(opening, .failing) { try? await left.close() }
                guard opening.isAbandoned, !Task.isCancelled else { throw error }
                // The earlier callers were cancelled, and this one joined too late to keep the opening alive. The error
                // may be one of the configuration's own.
                continue
            }
            guard store.pool.isClosing || opening.isRetiring else { return (opening, store, isFirst) }
            end(opening, .failing)
            // Closing a store that another caller is closing waits for that; then the name is free.
            try await store.close()
        }
    }

    /// Closes a borrowed store, unless it has another user.
    func release(_ opening: SharedOpening) async throws {
        try await end(opening, .borrowing)?.close()
    }

    /// Closes a borrowed store, unless it has another user, on the current thread, which may block.
    ///
    /// - Parameter keepsLog: Whether the empty WAL and its index stay beside the file, for the next opening.
    func release(_ opening: SharedOpening, keepsLog: Bool) throws {
        try end(opening, .borrowing)?.pool.close(keepsLog: keepsLog)
    }

    @discardableResult
    private func end(_ opening: SharedOpening, _ use: SharedOpening.Use) -> Store? {
        state.withLock { state in
            // A failed or closed opening is no longer registered.
            guard state.openings[opening.id.name] === opening else { return nil }
            return opening.end(use)
        }
    }

    private func opening(
        of name: DatabaseName, in place: Persistence?
    ) throws -> (SharedOpening, isFirst: Bool) {
        try state.withLock { state in
            guard !state.hasShutDown else { throw hasShutDown(name) }
            if let opening = state.openings[name] {
                opening.addUser()
                return (opening, false)
            }
            let configuration = try state.configuration(of: name)
            let id = OpeningWaits.Opening(of: name)
            let executor = OpeningExecutor()
            let task = Task(executorPreference: executor) {
                defer { executor.finish() }
                return try await OpeningWaits.run(id) { try await self.make(name, configuration, place) }
            }
            let opening = SharedOpening(id: id, task: task)
            opening.addUser()
            state.openings[name] = opening
            return (opening, true)
        }
    }

    /// Makes every later opening fail.
    func refuseOpenings() { state.withLock { $0.hasShutDown = true } }

    func hasShutDown(_ name: DatabaseName) -> StrongroomError {
        StrongroomError(
            .closed, "The registry has been shut down; it opens no store any more.", database: name.fileName)
    }

    /// The names of the stores that are open, or are being opened or closed.
    var openNames: [DatabaseName] { state.withLock { $0.openings.keys.sorted { $0.fileName < $1.fileName } } }

    /// How many stores ``closeAll()`` closes at the same time.
    private static let closings = 16

    /// Closes every open store, several at a time.
    ///
    /// - Throws: The first failure; the other stores are closed nevertheless.
    public func closeAll() async throws {
        let openings = state.withLock { $0.openings.values.map(\.task) }
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            var failure: (any Error)?
            for (index, opening) in openings.enumerated() {
                if index >= Self.closings, let ended = await group.next() { failure = failure ?? ended }
                group.addTask {
                    // A failed opening has no store to close, and its caller has the error.
                    guard case .success(let store) = await opening.result else { return nil }
                    do {
                        try await store.close()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await ended in group { failure = failure ?? ended }
            return failure
        }
        if let failure { throw failure }
    }

    private func make(
        _ name: DatabaseName, _ configuration: any Configuration, _ place: Persistence?
    ) async throws -> Store {
        let resources = resources.withLock { $0 }
        let watch = resources.observer.map { OperationWatch($0, name, .open) }
        watch?.grant()
        do {
            var opening = try StoreOpening(name, configuration, in: place)
            opening.observer = resources.observer.map {
                StoreObserver(observer: $0, name: name, outer: watch?.context)
            }
            var extensions = try StoreExtensions(opening.context)
            let store: Store
            do {
                try await extensions.prepare()
                store = try await opening.run(sharing: resources) { [weak self] in self?.forget(name) }
                try await extensions.attach(to: store)
            } catch {
                await extensions.undoPreparation()
                throw error
            }
            state.withLock { $0.openings[name]?.finish(store) }
            watch?.end(nil)
            return store
        } catch {
            forget(name)
            let error = (error as? StrongroomError)?.naming(name.fileName) ?? error
            watch?.end(error)
            throw error
        }
    }

    private func forget(_ name: DatabaseName) {
        state.withLock { $0.openings[name] = nil }
    }

    /// The configuration of a database.
    func configuration(of name: DatabaseName) throws -> any Configuration {
        try state.withLock { try $0.configuration(of: name) }
    }
}
