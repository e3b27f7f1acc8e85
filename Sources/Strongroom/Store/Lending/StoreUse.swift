import Synchronization

/// The closures of ``Stores/withStore(_:timeout:label:file:line:_:)-(String,_,_,_,_,_)`` that the current task is in.
final class StoreUse: Sendable {
    @TaskLocal private static var innermost: StoreUse?

    private let stores: ObjectIdentifier
    private let outer: StoreUse?
    /// A task that the closure has started may outlive it.
    private let isActive = Atomic(true)

    private init(_ stores: Stores) {
        self.stores = ObjectIdentifier(stores)
        outer = Self.innermost
    }

    /// Whether the current task uses a store of a registry.
    static func isInside(_ stores: Stores) -> Bool {
        var next = innermost
        while let use = next {
            if use.stores == ObjectIdentifier(stores), use.isActive.load(ordering: .relaxed) { return true }
            next = use.outer
        }
        return false
    }

    /// Runs the closure of a use.
    static func run<T>(_ stores: Stores, _ body: () async throws -> T) async throws -> T {
        let use = StoreUse(stores)
        defer { use.isActive.store(false, ordering: .relaxed) }
        return try await $innermost.withValue(use) { try await body() }
    }
}
