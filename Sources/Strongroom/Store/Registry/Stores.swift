import Logging

/// The configurations of a program and the stores that it has open.
///
/// ```swift
/// let stores = try Stores(AddressBook(), Inventory())
/// let store = try await stores.open("addressbook_alice.sqlite")
/// ```
public final class Stores: Sendable {
    private struct State {
        var configurations: [String: any Configuration] = [:]
        /// The targets whose configuration nobody registered.
        var discovered: Set<String> = []
        /// Why a target has none of the configurations that were found for it.
        var faults: [String: StrongroomError] = [:]
        var openings: [DatabaseName: SharedOpening] = [:]

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

    /// The program's registry: it has every type that is marked `@Configuration`, in whatever module of the program it
    /// lies.
    ///
    /// When two types are marked that have one target, opening a database of it throws an error that names both. A
    /// configuration of a marked type can be registered all the same, and then takes the place of the one that was
    /// found.
    public static let shared = Stores(discovering: ConfigurationEntry.all())

    /// Makes a registry without configurations.
    public init() {}

    /// Makes a registry.
    ///
    /// - Parameter configurations: One for each family of databases.
    /// - Throws: ``StrongroomError`` with `duplicateConfiguration` when two have one target, naming both types;
    ///   `invalidName` for a target that no database name has.
    public init(_ configurations: any Configuration...) throws {
        for configuration in configurations { try register(configuration) }
    }

    /// A registry with one configuration, for databases of any target; for one that wraps another, or has no type of
    /// its own.
    package convenience init(answering target: String, with configuration: any Configuration) {
        self.init()
        state.withLock { $0.configurations[target] = configuration }
    }

    private init(discovering entries: [ConfigurationEntry]) {
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
    /// - Throws: ``StrongroomError`` with `duplicateConfiguration` when its target has one already, naming both types;
    ///   `invalidName` for a target that no database name has.
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

    /// The targets that have a configuration, in alphabetical order.
    public var targets: [String] {
        state.withLock { $0.configurations.keys.sorted() }
    }

    /// Opens a database: finds its configuration, makes the file or finds its key, migrates it.
    ///
    /// Opening a name that is open gives the same store, and one that is being closed a fresh one, once it is closed. A
    /// configuration may open other databases to find its keys; what it starts and does not wait for belongs into a
    /// `Task.detached`, lest it count as something that the opening waits for.
    ///
    /// - Parameter fileName: The database's name, such as `addressbook_alice.sqlite`.
    /// - Returns: The store; ``Store/opening`` says what was done.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`, `sameFile`,
    ///   `locked`, `notAFile`, `fileMissing`, `fileChanged`, `emptyFile`, `notADatabase`, `truncated`, `damaged`,
    ///   `damagedLog`, `wrongKey`, `plaintextFile`, `plaintextHeader`, `encryptedFile`, `newerSchema`,
    ///   `migrationFailed`, `permissionDenied`, `diskFull`, `notSQLCipher`; `envelopeMissing`, `envelopeDamaged`,
    ///   `newerEnvelope`, `foreignEnvelope`; `nestedAccess` when its configuration opens a database whose opening waits
    ///   for this one; what the configuration throws.
    public func open(_ fileName: String) async throws -> Store {
        try await open(DatabaseName(fileName))
    }

    /// Opens a database whose name has been checked.
    ///
    /// - Parameter name: The database's name.
    /// - Returns: The store.
    /// - Throws: As `open`.
    public func open(_ name: DatabaseName) async throws -> Store {
        try await open(name, in: nil)
    }

    /// - Parameter place: Where its data is to lie; nil for where its configuration says.
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

    /// Opens a database for a while; its store is closed when nobody else has opened it meanwhile.
    ///
    /// - Returns: The opening, to be given back with ``giveBack(_:)``, its store, and whether it was opened for this.
    func borrow(
        _ name: DatabaseName, in place: Persistence? = nil
    ) async throws -> (opening: SharedOpening, store: Store, isFirst: Bool) {
        while true {
            let (opening, isFirst) = try opening(of: name, in: place)
            let store: Store
            do {
                store = try await OpeningWaits.wait(for: opening.id) { try await opening.wait() }
            } catch {
                // A borrower may have left the store to this one alone.
                if let left = end(opening, .failing) { try? await left.close() }
                guard opening.isAbandoned, !Task.isCancelled else { throw error }
                // Those who asked for it before were cancelled, and this one came too late to keep it going. What it
                // was stopped with may be an error of the configuration's own.
                continue
            }
            guard store.pool.isClosing || opening.isRetiring else { return (opening, store, isFirst) }
            end(opening, .failing)
            // Whoever closes a store that somebody else is closing waits for them; then the name is free.
            try await store.close()
        }
    }

    /// Closes a store that was borrowed, unless somebody else has it.
    func giveBack(_ opening: SharedOpening) async throws {
        try await end(opening, .borrowing)?.close()
    }

    @discardableResult
    private func end(_ opening: SharedOpening, _ use: SharedOpening.Use) -> Store? {
        state.withLock { state in
            // One that failed, or was closed, is forgotten.
            guard state.openings[opening.id.name] === opening else { return nil }
            return opening.end(use)
        }
    }

    private func opening(
        of name: DatabaseName, in place: Persistence?
    ) throws -> (SharedOpening, isFirst: Bool) {
        try state.withLock { state in
            if let opening = state.openings[name] {
                opening.addUser()
                return (opening, false)
            }
            let configuration = try state.configuration(of: name)
            let id = OpeningWaits.Opening(of: name)
            let task = Task { try await OpeningWaits.run(id) { try await make(name, configuration, place) } }
            let opening = SharedOpening(id: id, task: task)
            opening.addUser()
            state.openings[name] = opening
            return (opening, true)
        }
    }

    /// Closes every open store.
    ///
    /// - Throws: The first failure; the other stores are closed all the same.
    public func closeAll() async throws {
        let openings = state.withLock { $0.openings.values.map(\.task) }
        var failure: (any Error)?
        for opening in openings {
            // An opening that failed has nothing to close, and whoever asked for it has the error.
            guard case .success(let store) = await opening.result else { continue }
            do {
                try await store.close()
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func make(
        _ name: DatabaseName, _ configuration: any Configuration, _ place: Persistence?
    ) async throws -> Store {
        do {
            var opening = try StoreOpening(name, configuration, in: place)
            let store = try await opening.run { [weak self] in self?.forget(name) }
            state.withLock { $0.openings[name]?.finish(store) }
            return store
        } catch {
            forget(name)
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }

    private func forget(_ name: DatabaseName) {
        state.withLock { $0.openings[name] = nil }
    }

    /// The open store of a database, if a caller of `open` still keeps it; nothing is opened.
    package func openedStore(_ name: DatabaseName) -> Store? {
        guard let store = state.withLock({ $0.openings[name]?.keptStore }), !store.pool.isClosing else { return nil }
        return store
    }

    /// The configuration that a database has.
    func configuration(of name: DatabaseName) throws -> any Configuration {
        try state.withLock { try $0.configuration(of: name) }
    }
}
