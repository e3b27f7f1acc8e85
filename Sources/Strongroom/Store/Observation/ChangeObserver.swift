import Synchronization

/// Waits for changes of some tables. Changes that arrive while no caller waits are kept, and reported as one.
final class ChangeObserver: Sendable {
    private struct State {
        /// The observed tables; nil for all.
        var tables: Set<String>?
        /// The tables that have been written since the last ``begin()``.
        var changed: Set<String> = []
        /// Whether a commit since then may have written any table.
        var hasUnknownChanges = false
        /// The rows that have changed since then, for an observer of rows.
        var rows = ChangedRowIDs.rows([])
        /// Whether a read has begun whose value has not been delivered yet.
        var isReading = false
        var isOver = false
        /// Whether the waiter waits only for the end.
        var waitsForEnd = false
        var waiter: CheckedContinuation<Bool, any Error>?

        var hasChanges: Bool {
            guard let tables else { return hasUnknownChanges || !changed.isEmpty }
            return hasUnknownChanges && !tables.isEmpty || !tables.isDisjoint(with: changed)
        }

        mutating func discardChanges() {
            changed = []
            hasUnknownChanges = false
        }
    }

    private let state: Locked<State>
    private let broadcaster: ChangeBroadcaster
    /// The table whose changed rows are observed; nil for none.
    let rowsOf: ObservedRows?
    /// Reads the newest value when the store is being closed, if it has not been delivered.
    private let lastRead: (@Sendable (Connection) -> Void)?

    /// - Parameters:
    ///   - tables: The observed tables, in lower case; nil for all.
    ///   - rowsOf: The table whose changed rows are observed; nil for none.
    ///   - lastRead: Reads the last value when the store is closed; nil if only the change itself is reported.
    init(
        _ broadcaster: ChangeBroadcaster, tables: Set<String>?, rowsOf: ObservedRows? = nil,
        lastRead: (@Sendable (Connection) -> Void)? = nil
    ) {
        self.broadcaster = broadcaster
        self.rowsOf = rowsOf
        self.lastRead = lastRead
        state = Locked(State(tables: tables))
        broadcaster.add(self)
    }

    deinit {
        broadcaster.remove(ObjectIdentifier(self), observesRows: rowsOf != nil)
    }

    /// Discards the changes recorded so far.
    func begin() {
        state.withLock { state in
            state.discardChanges()
            state.isReading = true
        }
    }

    /// Sets the observed tables, from now on and for the changes since ``begin()``.
    func watch(_ tables: Set<String>) {
        state.withLock { state in
            state.tables = tables
            state.isReading = false
        }
    }

    /// The read of the newest value, if that has not been delivered.
    var unfinishedRead: (@Sendable (Connection) -> Void)? {
        state.withLock { $0.hasChanges || $0.isReading } ? lastRead : nil
    }

    /// Waits for a change since ``begin()``.
    ///
    /// - Returns: False if the store is closed and no change is left.
    /// - Throws: `CancellationError`.
    func wait() async throws -> Bool {
        try await wait(forEnd: false)
    }

    /// Waits until the store is closed and the last value is read.
    ///
    /// - Throws: `CancellationError`.
    func waitForEnd() async throws {
        _ = try await wait(forEnd: true)
    }

    private func wait(forEnd: Bool) async throws -> Bool {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Result<Bool, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isOver || !forEnd && state.hasChanges { return .success(state.hasChanges) }
                    state.waitsForEnd = forEnd
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(throwing: CancellationError())
        }
    }

    /// Returns the changed rows, and discards the changes recorded so far.
    func removeRows() -> ChangedRowIDs {
        state.withLock { state in
            defer {
                state.discardChanges()
                state.rows = .rows([])
            }
            return state.hasUnknownChanges ? .unknown : state.rows
        }
    }

    /// Records a commit.
    ///
    /// - Parameters:
    ///   - tables: The tables that it has written.
    ///   - rows: The rows that it has changed, by table; nil if they are not known.
    func record(_ tables: Set<String>, _ rows: [String: ChangedRowIDs]? = nil) {
        guard let table = rowsOf?.table else { return resume { $0.changed.formUnion(tables) } }
        guard tables.contains(table) else { return }
        let changed = rows?[table] ?? .unknown
        guard !changed.isEmpty else { return }
        resume { state in
            state.changed.insert(table)
            state.rows.formUnion(changed)
        }
    }

    /// Records a commit that may have written any table.
    func recordAll() {
        resume { $0.hasUnknownChanges = true }
    }

    /// Records a commit, and resumes the waiter if it concerns it.
    private func resume(_ record: (inout State) -> Void) {
        state.withLock { state in
            record(&state)
            return state.hasChanges && !state.waitsForEnd ? state.waiter.take() : nil
        }?.resume(returning: true)
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }?.resume(returning: false)
    }
}

/// A table whose changed rows are observed.
struct ObservedRows {
    /// The table, in lower case.
    let table: String
    /// The key, as it is declared.
    let key: ObservedKey
}

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
