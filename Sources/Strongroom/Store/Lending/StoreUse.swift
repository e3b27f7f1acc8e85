import Synchronization

/// The closures of ``Stores/withStore(_:timeout:label:file:line:_:)-(String,_,_,_,_,_)`` that the current task is in.
final class StoreUse: Sendable {
    @TaskLocal private static var innermost: StoreUse?

    private let stores: ObjectIdentifier
    private let outer: StoreUse?
    /// The store that is kept closed meanwhile.
    private let closedName: DatabaseName?
    /// A task that the closure has started may outlive it.
    private let isActive = Atomic(true)

    private init(_ stores: Stores, keepingClosed closedName: DatabaseName?) {
        self.stores = ObjectIdentifier(stores)
        self.closedName = closedName
        outer = Self.innermost
    }

    /// Whether the current task uses a store of a registry.
    static func isInside(_ stores: Stores) -> Bool { isInside(stores) { _ in true } }

    /// Whether the current task does work for which a store is kept closed.
    static func isInside(_ stores: Stores, keepingClosed name: DatabaseName) -> Bool {
        isInside(stores) { $0.closedName == name }
    }

    private static func isInside(_ stores: Stores, where isMeant: (StoreUse) -> Bool) -> Bool {
        var next = innermost
        while let use = next {
            if use.stores == ObjectIdentifier(stores), use.isActive.load(ordering: .relaxed), isMeant(use) {
                return true
            }
            next = use.outer
        }
        return false
    }

    /// Runs the closure of a use.
    ///
    /// - Parameter closedName: The store that is kept closed meanwhile; nil for the use of an open one.
    static func run<T>(
        _ stores: Stores, keepingClosed closedName: DatabaseName? = nil, _ body: () async throws -> T
    ) async throws -> T {
        let use = StoreUse(stores, keepingClosed: closedName)
        defer { use.isActive.store(false, ordering: .relaxed) }
        return try await $innermost.withValue(use) { try await body() }
    }
}
