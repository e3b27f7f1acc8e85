import Synchronization

/// Records which openings wait for which others: a configuration may open a database to obtain the keys of another.
///
/// Openings that wait for each other in a cycle would deadlock, so the one that would close the cycle fails with an
/// error. A task's waits count for the opening that started it; a detached task, or one that existed before, is not
/// tracked.
enum OpeningWaits {
    /// One opening of a database; a later one of the same name is a different opening.
    struct Opening: Hashable, Sendable {
        let name: DatabaseName
        private let number: UInt64

        private static let count = Atomic<UInt64>(0)

        init(of name: DatabaseName) {
            self.name = name
            number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        }

        static func == (left: Opening, right: Opening) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private struct State {
        var running: Set<Opening> = []
        var waits: [Opening: [Opening]] = [:]

        /// The chain of openings from one to another, each waiting for the next; nil if the first does not wait for the
        /// last.
        func path(from start: Opening, to end: Opening) -> [Opening]? {
            var open = [[start]]
            var seen: Set<Opening> = []
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
        return state.withLock { $0.running.contains(current) }
    }

    /// Runs the work of an opening.
    static func run<T: Sendable>(_ opening: Opening, _ work: @Sendable () async throws -> T) async throws -> T {
        state.withLock { _ = $0.running.insert(opening) }
        defer {
            state.withLock { state in
                state.running.remove(opening)
                state.waits[opening] = nil
            }
        }
        return try await $current.withValue(opening, operation: work)
    }

    /// Waits for an opening.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` if the opening waits for the one that the current task belongs
    ///   to.
    static func wait<T: Sendable>(for opening: Opening, _ work: () async throws -> T) async throws -> T {
        guard let waiting = current else { return try await work() }
        let cycle: [Opening]? = state.withLock { state in
            // A task that outlives the opening that started it no longer blocks it.
            guard state.running.contains(waiting) else { return nil }
            if let path = state.path(from: opening, to: waiting) { return [waiting] + path }
            state.waits[waiting, default: []].append(opening)
            return nil
        }
        if let cycle { throw error(cycle.map(\.name), opening.name) }
        defer {
            state.withLock { state in
                guard let index = state.waits[waiting]?.firstIndex(of: opening) else { return }
                state.waits[waiting]?.remove(at: index)
            }
        }
        return try await work()
    }

    /// - Parameter cycle: The databases in order; the last is the same as the first.
    private static func error(_ cycle: [DatabaseName], _ opened: DatabaseName) -> StrongroomError {
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
