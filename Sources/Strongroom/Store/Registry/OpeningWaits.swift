/// Records which openings wait for which stores: a configuration may open a database to obtain the keys of another.
///
/// Openings that wait for each other in a cycle would deadlock, so the one that would close the cycle fails with an
/// error. Work for which a store is kept closed counts as an opening. A task's waits count for the opening that started
/// it; a detached task, or one that existed before, is not tracked.
enum OpeningWaits {
    /// A database of a registry; cycles may go through several registries.
    struct RegisteredName: Hashable, Sendable {
        let stores: ObjectIdentifier
        let name: DatabaseName

        init(_ stores: Stores, _ name: DatabaseName) {
            self.stores = ObjectIdentifier(stores)
            self.name = name
        }
    }

    /// One opening of a database.
    struct Opening: Sendable {
        let database: RegisteredName
        let number: UInt64
        /// Whether it is work for which the store is kept closed.
        let isWork: Bool

        init(_ stores: Stores, _ loan: StoreLoan, isWork: Bool = false) {
            database = RegisteredName(stores, loan.name)
            number = loan.number
            self.isWork = isWork
        }
    }

    private struct State {
        var running: [RegisteredName: Opening] = [:]
        var waits: [RegisteredName: [RegisteredName]] = [:]

        func isRunning(_ opening: Opening) -> Bool { running[opening.database]?.number == opening.number }

        /// The chain from one database to another, each of whose openings waits for the next; nil if the first does not
        /// wait for the last.
        func path(from start: RegisteredName, to end: RegisteredName) -> [RegisteredName]? {
            var open = [[start]]
            var seen: Set<RegisteredName> = []
            while let path = open.popLast(), let last = path.last {
                if last == end { return path }
                if seen.insert(last).inserted { open += (waits[last] ?? []).map { path + [$0] } }
            }
            return nil
        }
    }

    /// The opening that the current task belongs to.
    @TaskLocal private static var current: Opening?
    private static let state = Locked(State())

    /// Whether the current task belongs to an opening that has not ended.
    static var isInsideOpening: Bool {
        guard let current else { return false }
        return state.withLock { $0.isRunning(current) }
    }

    /// Runs the work of an opening.
    static func run<T>(_ opening: Opening, _ work: () async throws -> T) async throws -> T {
        state.withLock { $0.running[opening.database] = opening }
        defer {
            state.withLock { state in
                state.running[opening.database] = nil
                state.waits[opening.database] = nil
            }
        }
        return try await $current.withValue(opening) { try await work() }
    }

    /// Waits for a store.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` if its opening waits for the one that the current task belongs
    ///   to.
    static func wait<T>(for database: RegisteredName, _ work: () async throws -> T) async throws -> T {
        guard let waiting = current else { return try await work() }
        let failure: StrongroomError? = state.withLock { state in
            // A task that outlives the opening that started it no longer blocks it.
            guard state.isRunning(waiting) else { return nil }
            guard let path = state.path(from: database, to: waiting.database) else {
                state.waits[waiting.database, default: []].append(database)
                return nil
            }
            return waiting.isWork && path.count == 1
                ? isKeptClosed(database.name) : isCycle([waiting.database.name] + path.map(\.name), database.name)
        }
        if let failure { throw failure }
        defer {
            state.withLock { state in
                guard let index = state.waits[waiting.database]?.firstIndex(of: database) else { return }
                state.waits[waiting.database]?.remove(at: index)
            }
        }
        return try await work()
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
