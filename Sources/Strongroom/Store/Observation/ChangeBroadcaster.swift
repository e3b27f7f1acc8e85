/// Reports committed changes to observers.
final class ChangeBroadcaster: Sendable {
    private struct State {
        var observers: [ObjectIdentifier: WeakObserver] = [:]
        var isClosed = false
    }

    private struct WeakObserver {
        weak var observer: ChangeObserver?
    }

    private let state = Locked(State())

    /// Adds an observer, which is held weakly; after closing, it ends at once.
    func add(_ observer: ChangeObserver) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.observers[ObjectIdentifier(observer)] = WeakObserver(observer: observer) }
            return state.isClosed
        }
        if isClosed { observer.end() }
    }

    func remove(_ observer: ObjectIdentifier) {
        state.withLock { $0.observers[observer] = nil }
    }

    /// Reports the tables of a commit.
    func note(_ tables: Set<String>) {
        guard !tables.isEmpty else { return }
        for observer in state.withLock({ $0.observers.values.compactMap(\.observer) }) { observer.note(tables) }
    }

    /// The reads of values that observers have not received yet; to be called when there are no further commits.
    var unfinishedReads: [@Sendable (Connection) -> Void] {
        state.withLock { $0.observers.values.compactMap(\.observer) }.compactMap(\.unfinishedRead)
    }

    /// Ends the observers: there are no further commits, and the last values are read.
    func close() {
        let observers = state.withLock { state in
            state.isClosed = true
            defer { state.observers = [:] }
            return state.observers.values.compactMap(\.observer)
        }
        for observer in observers { observer.end() }
    }
}
