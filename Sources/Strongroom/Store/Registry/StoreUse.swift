import Synchronization

/// What the current task does with a store: it opens it, does work for which it is kept closed, or runs a closure that
/// uses it. A request from inside may have what other requests wait for, so no limit holds for it.
///
/// A configuration may open a database to obtain the keys of another. Openings that wait for each other in a cycle
/// would deadlock, so the one that would close the cycle fails with an error; work counts as an opening. A task's waits
/// count for the opening that started it; a detached task, or one that existed before, is not tracked.
final class StoreUse: Sendable {
    enum Kind { case opening, work, closure }

    /// A database of a registry; cycles may go through several registries.
    private struct Database: Hashable, Sendable {
        let stores: ObjectIdentifier
        let name: DatabaseName
    }

    @TaskLocal private static var innermost: StoreUse?
    /// The databases that the openings wait for.
    private static let waits = Locked<[Database: [Database]]>([:])

    private let kind: Kind
    private let database: Database
    private let outer: StoreUse?
    /// A task that was started inside may outlive it.
    private let isActive = Atomic(true)

    private init(_ kind: Kind, _ database: Database) {
        self.kind = kind
        self.database = database
        outer = Self.innermost
    }

    /// Those that the current task is in, the innermost first.
    private static var all: some Sequence<StoreUse> {
        sequence(state: innermost) { next in
            defer { next = next?.outer }
            return next
        }
    }

    /// The opening or the work that the current task belongs to, unless that has ended.
    private static var opening: StoreUse? {
        guard let use = all.first(where: { $0.kind != .closure }), use.isRunning else { return nil }
        return use
    }

    private var isRunning: Bool { isActive.load(ordering: .sequentiallyConsistent) }

    /// Whether the current task is in an opening of any store, or uses one of a registry.
    static func isNested(in stores: Stores) -> Bool {
        opening != nil
            || all.contains { $0.kind == .closure && $0.database.stores == ObjectIdentifier(stores) && $0.isRunning }
    }

    /// Runs the body of a use.
    static func run<T>(
        _ kind: Kind, _ name: DatabaseName, of stores: Stores, _ body: () async throws -> T
    ) async throws -> T {
        let use = StoreUse(kind, Database(stores: ObjectIdentifier(stores), name: name))
        defer {
            use.isActive.store(false, ordering: .sequentiallyConsistent)
            if kind != .closure { waits.withLock { $0[use.database] = nil } }
        }
        return try await $innermost.withValue(use) { try await body() }
    }

    /// Waits for a store.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` if its opening waits for the one that the current task belongs
    ///   to.
    static func wait<T>(
        for name: DatabaseName, of stores: Stores, _ work: () async throws -> T
    ) async throws -> T {
        guard let opening else { return try await work() }
        let (database, own) = (Database(stores: ObjectIdentifier(stores), name: name), opening.database)
        let cycle: [Database]? = waits.withLock { waits in
            // A task that outlives the opening that started it no longer blocks it.
            guard opening.isRunning else { return nil }
            if let path = path(from: database, to: own, waits) { return path }
            waits[own, default: []].append(database)
            return nil
        }
        if let cycle {
            throw opening.kind == .work && cycle.count == 1
                ? isKeptClosed(name) : isCycle([own.name] + cycle.map(\.name), name)
        }
        defer {
            waits.withLock { waits in
                guard let index = waits[own]?.firstIndex(of: database) else { return }
                waits[own]?.remove(at: index)
            }
        }
        return try await work()
    }

    /// The chain from one database to another, each of whose openings waits for the next; nil if the first does not
    /// wait for the last.
    private static func path(
        from start: Database, to end: Database, _ waits: [Database: [Database]]
    ) -> [Database]? {
        var open = [[start]]
        var seen: Set<Database> = []
        while let path = open.popLast(), let last = path.last {
            if last == end { return path }
            if seen.insert(last).inserted { open += (waits[last] ?? []).map { path + [$0] } }
        }
        return nil
    }

    private static func isKeptClosed(_ name: DatabaseName) -> StrongroomError {
        StrongroomError(
            .nestedAccess,
            "The store is kept closed while its file is restored or removed, and cannot be used for that.",
            database: name.fileName)
    }

    /// - Parameter cycle: The databases in order; the last is the same as the first.
    private static func isCycle(_ cycle: [DatabaseName], _ opened: DatabaseName) -> StrongroomError {
        StrongroomError(
            .nestedAccess,
            """
            The configurations of these databases open each other in a cycle: \
            \(cycle.map { "\"\($0)\"" }.joined(separator: ", ")). None of them could be opened. Read the keys of one \
            of them from a source that does not need the others.
            """,
            database: opened.fileName
        )
    }
}
