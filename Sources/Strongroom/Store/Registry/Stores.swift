import Logging

/// The configurations of a program and its open stores.
///
/// ```swift
/// let stores = try Stores(AddressBook(), Inventory())
/// let store = try await stores.open("addressbook_alice.sqlite")
/// ```
public final class Stores: Sendable {
    struct State {
        var configurations: [String: any Configuration] = [:]
        /// The targets whose configuration was discovered, not registered.
        var discovered: Set<String> = []
        /// The error for a target whose discovered configurations conflict.
        var faults: [String: StrongroomError] = [:]
        var registry = StoreRegistry<Store>()
        /// The tasks that wait for the answers to their requests, by ticket.
        var waiters: [UInt64: CheckedContinuation<StoreAnswer<Store>, Never>] = [:]
        /// The openings of the stores that are open or being opened, by the number of their loan.
        var openings: [UInt64: Task<Store, any Error>] = [:]
        /// The uses of lent stores.
        var holders: [UInt64: StoreHolder] = [:]
        /// Work that lasts until the shutdown, which cancels it.
        var endless: [UInt64: Task<Void, any Error>] = [:]
    }

    let state = Locked(State())

    let resources = StoreResources()

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

    /// Receive each operation of stores that are opened from now on, in this order; none by default.
    public var operationObservers: [any OperationObserver] {
        get { resources.observers.withLock { $0 } }
        set { resources.observers.withLock { $0 = newValue } }
    }

    /// The targets that have a configuration, in alphabetical order.
    public var targets: [String] {
        state.withLock { $0.configurations.keys.sorted() }
    }

    /// The configuration of a database.
    ///
    /// - Throws: ``StrongroomError`` with `noConfiguration`, `duplicateConfiguration`.
    package func configuration(of name: DatabaseName) throws -> any Configuration {
        let (fault, configurations) = state.withLock { ($0.faults[name.target], $0.configurations) }
        if let fault { throw fault.naming(name.fileName) }
        if let configuration = configurations[name.target] { return configuration }
        let known =
            configurations.isEmpty
            ? "none is registered" : "registered are \(configurations.keys.sorted().joined(separator: ", "))"
        throw StrongroomError(
            .noConfiguration,
            "There is no configuration for the target \"\(name.target)\"; \(known). Register one, or correct the name.",
            database: name.fileName)
    }
}
