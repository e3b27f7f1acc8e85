import Synchronization

/// Which openings wait for which others: a configuration may open a database to find the keys of another.
///
/// Openings that wait for each other in a circle would never end, so whoever would close the circle gets an error. What a task does
/// counts for the opening that started it; a detached task, or one that was there before, is not seen.
enum OpeningWaits {
    /// One opening of a database: a further one of the same name is another.
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

        func leads(from start: Opening, to end: Opening) -> Bool {
            var open = [start]
            var seen: Set<Opening> = []
            while let next = open.popLast() {
                if next == end { return true }
                if seen.insert(next).inserted { open += waits[next] ?? [] }
            }
            return false
        }
    }

    /// The opening that the current task works on.
    @TaskLocal private static var current: Opening?
    private static let state = Locked(State())

    /// Does the work of an opening.
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
    /// - Throws: ``StrongroomError`` with `nestedAccess` when the opening waits for the one that the current task works on.
    static func wait<T: Sendable>(for opening: Opening, _ work: () async throws -> T) async throws -> T {
        guard let waiting = current else { return try await work() }
        let isCircle = state.withLock { state in
            // A task that outlives the opening which started it waits for nobody's sake.
            guard state.running.contains(waiting) else { return false }
            if state.leads(from: opening, to: waiting) { return true }
            state.waits[waiting, default: []].append(opening)
            return false
        }
        guard !isCircle else { throw circle(opening.name, waiting.name) }
        defer {
            state.withLock { state in
                guard let place = state.waits[waiting]?.firstIndex(of: opening) else { return }
                state.waits[waiting]?.remove(at: place)
            }
        }
        return try await work()
    }

    private static func circle(_ name: DatabaseName, _ waiting: DatabaseName) -> StrongroomError {
        StrongroomError(
            .nestedAccess,
            """
            The configuration of «\(waiting)» opens «\(name)», whose opening waits for that of «\(waiting)»: neither would ever end. \
            Take the keys of one of them from a place that does not need the other.
            """,
            database: name.fileName
        )
    }
}
