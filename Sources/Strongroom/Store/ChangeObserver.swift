/// One who waits for changes of some tables. What comes while nobody waits is kept, and told as one change.
final class ChangeObserver: Sendable {
    private struct State {
        /// The tables of interest; nil for all.
        var tables: Set<String>?
        /// The tables that have been written since the last ``begin()``.
        var changed: Set<String> = []
        var isOver = false
        var waiter: CheckedContinuation<Bool, any Error>?

        var hasNews: Bool {
            guard let tables else { return !changed.isEmpty }
            return !tables.isDisjoint(with: changed)
        }
    }

    private let state: Locked<State>
    private let hub: ChangeHub

    /// - Parameter tables: The tables of interest, in lower case; nil for all.
    init(_ hub: ChangeHub, tables: Set<String>?) {
        self.hub = hub
        state = Locked(State(tables: tables))
        hub.add(self)
    }

    deinit {
        hub.remove(ObjectIdentifier(self))
    }

    /// Forgets what has changed up to now.
    func begin() {
        state.withLock { $0.changed = [] }
    }

    /// Says which tables are of interest from now on, and for what has changed since ``begin()``.
    func watch(_ tables: Set<String>) {
        state.withLock { $0.tables = tables }
    }

    /// Waits for a change since ``begin()``.
    ///
    /// - Returns: False when the store is closed and there are no changes left.
    /// - Throws: `CancellationError`.
    func wait() async throws -> Bool {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Result<Bool, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.hasNews || state.isOver { return .success(state.hasNews) }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(throwing: CancellationError())
        }
    }

    func note(_ tables: Set<String>) {
        state.withLock { state in
            state.changed.formUnion(tables)
            return state.hasNews ? state.waiter.take() : nil
        }?.resume(returning: true)
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }?.resume(returning: false)
    }
}
