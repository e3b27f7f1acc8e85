/// Waits for changes of some tables. Changes that arrive while no caller waits are kept, and reported as one.
final class ChangeObserver: Sendable {
    private struct State {
        /// The observed tables; nil for all.
        var tables: Set<String>?
        /// The tables that have been written since the last ``begin()``.
        var changed: Set<String> = []
        /// Whether a commit since then may have written any table.
        var hasUnknownChanges = false
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
    }

    private let state: Locked<State>
    private let broadcaster: ChangeBroadcaster
    /// Reads the newest value when the store is being closed, if it has not been delivered.
    private let lastRead: (@Sendable (Connection) -> Void)?

    /// - Parameters:
    ///   - tables: The observed tables, in lower case; nil for all.
    ///   - lastRead: Reads the last value when the store is closed; nil if only the change itself is reported.
    init(
        _ broadcaster: ChangeBroadcaster, tables: Set<String>?, lastRead: (@Sendable (Connection) -> Void)? = nil
    ) {
        self.broadcaster = broadcaster
        self.lastRead = lastRead
        state = Locked(State(tables: tables))
        broadcaster.add(self)
    }

    deinit {
        broadcaster.remove(ObjectIdentifier(self))
    }

    /// Discards the changes recorded so far.
    func begin() {
        state.withLock { state in
            state.changed = []
            state.hasUnknownChanges = false
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

    /// Records a commit, and resumes the waiter if it concerns it.
    ///
    /// - Parameter tables: The tables that it has written; nil if they are not known.
    func record(_ tables: Set<String>?) {
        state.withLock { state in
            if let tables { state.changed.formUnion(tables) } else { state.hasUnknownChanges = true }
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

    /// Adds an observer, which is held weakly; after closing, it ends at once.
    func add(_ observer: ChangeObserver) {
        let (isClosed, whenFirst) = state.withLock { state in
            let isFirst = state.observers.isEmpty && !state.isClosed
            if !state.isClosed { state.observers[ObjectIdentifier(observer)] = WeakObserver(observer: observer) }
            return (state.isClosed, isFirst ? state.whenObserved : nil)
        }
        if isClosed { observer.end() }
        whenFirst?()
    }

    func remove(_ observer: ObjectIdentifier) {
        state.withLock { state in
            let wasLast = state.observers.removeValue(forKey: observer) != nil && state.observers.isEmpty
            return wasLast ? state.whenObserved : nil
        }?()
    }

    var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

    /// Sets what is called, on any thread, when the first observer was added, and when the last one was removed.
    func whenObserved(_ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenObserved = call }
    }

    private var observers: [ChangeObserver] { state.withLock { $0.observers.values.compactMap(\.observer) } }

    /// Reports a commit with the tables that it has written; nil if they are not known, as for one of another process.
    func report(_ tables: Set<String>?) {
        guard tables?.isEmpty != true else { return }
        for observer in observers { observer.record(tables) }
    }

    /// The reads of values that observers have not received yet; to be called when there are no further commits.
    var unfinishedReads: [@Sendable (Connection) -> Void] { observers.compactMap(\.unfinishedRead) }

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
