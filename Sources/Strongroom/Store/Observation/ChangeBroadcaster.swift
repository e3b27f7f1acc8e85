import Synchronization

/// Reports committed changes to observers.
final class ChangeBroadcaster: Sendable {
    private struct State {
        var observers: [ObjectIdentifier: WeakObserver] = [:]
        var isClosed = false
        /// Called when the first observer was added, and when the last one was removed.
        var whenObserved: (@Sendable () -> Void)?
    }

    private struct WeakObserver {
        weak var observer: ChangeObserver?
    }

    private let state = Locked(State())
    private let rowObservers = Atomic<Int>(0)

    /// Adds an observer, which is held weakly; after closing, it ends at once.
    func add(_ observer: ChangeObserver) {
        let (isClosed, whenFirst) = state.withLock { state in
            let isFirst = state.observers.isEmpty && !state.isClosed
            if !state.isClosed { state.observers[ObjectIdentifier(observer)] = WeakObserver(observer: observer) }
            return (state.isClosed, isFirst ? state.whenObserved : nil)
        }
        if isClosed { observer.end() } else if observer.rowsOf != nil { rowObservers.add(1, ordering: .relaxed) }
        whenFirst?()
    }

    func remove(_ observer: ObjectIdentifier, observesRows: Bool) {
        if observesRows { rowObservers.subtract(1, ordering: .relaxed) }
        state.withLock { state in
            let wasLast = state.observers.removeValue(forKey: observer) != nil && state.observers.isEmpty
            return wasLast ? state.whenObserved : nil
        }?()
    }

    /// Whether there is an observer.
    var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

    /// Sets what is called, on any thread, when the first observer was added, and when the last one was removed.
    func whenObserved(_ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenObserved = call }
    }

    /// Whether changed rows are observed.
    var observesRows: Bool { rowObservers.load(ordering: .relaxed) > 0 }

    /// The keys, by the tables whose changed rows are observed, in lower case.
    var observedKeys: [String: ObservedKey] {
        let observers = state.withLock { $0.observers.values.compactMap(\.observer) }
        return observers.reduce(into: [:]) { keys, observer in
            if let rows = observer.rowsOf { keys[rows.table] = rows.key }
        }
    }

    /// Reports a commit.
    ///
    /// - Parameters:
    ///   - tables: The tables that it has written.
    ///   - rows: The rows that it has changed, by table; nil if they are not known.
    func report(_ tables: Set<String>, _ rows: [String: ChangedRowIDs]? = nil) {
        guard !tables.isEmpty else { return }
        for observer in state.withLock({ $0.observers.values.compactMap(\.observer) }) { observer.record(tables, rows) }
    }

    /// Reports a commit that may have written any table, such as one of another process.
    func reportAll() {
        for observer in state.withLock({ $0.observers.values.compactMap(\.observer) }) { observer.recordAll() }
    }

    /// The reads of values that observers have not received yet; to be called when there are no further commits.
    var unfinishedReads: [@Sendable (Connection) -> Void] {
        state.withLock { $0.observers.values.compactMap(\.observer) }.compactMap(\.unfinishedRead)
    }

    /// Ends the observers: there are no further commits, and the last values are read.
    func close() {
        let (observers, whenLast) = state.withLock { state in
            state.isClosed = true
            defer { (state.observers, state.whenObserved) = ([:], nil) }
            return (state.observers.values.compactMap(\.observer), state.whenObserved)
        }
        for observer in observers { observer.end() }
        whenLast?()
    }
}
