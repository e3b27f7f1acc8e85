/// A running or finished opening and its users: the callers that wait for it, and the borrowers of its store.
///
/// If the last waiting caller is cancelled, so is the opening. A store that was only borrowed is closed by its last
/// borrower.
final class SharedOpening: Sendable {
    private struct State {
        /// The store, after the opening has succeeded.
        var store: Store?
        /// The number of callers that wait for it or have borrowed the store.
        var users = 0
        /// Whether the store was returned to a caller that keeps it: only that caller closes it.
        var isKept = false
        /// Whether a borrower has returned it.
        var isLeft = false
        /// Whether the last borrower is closing the store.
        var isRetiring = false
        /// The number of waiting callers.
        var waiting = 0
        /// Whether all waiting callers were cancelled.
        var isAbandoned = false
    }

    let id: OpeningWaits.Opening
    let task: Task<Store, any Error>
    private let state = Locked(State())

    init(id: OpeningWaits.Opening, task: Task<Store, any Error>) {
        self.id = id
        self.task = task
    }

    /// Whether all waiting callers were cancelled.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Whether the last borrower is closing the store.
    var isRetiring: Bool { state.withLock { $0.isRetiring } }

    /// The store, if a caller keeps it.
    var keptStore: Store? { state.withLock { $0.isKept ? $0.store : nil } }

    /// Records the opened store.
    func finish(_ store: Store) {
        state.withLock { $0.store = store }
    }

    /// Adds a user.
    func addUser() {
        state.withLock { $0.users += 1 }
    }

    /// How a use ends.
    enum Use {
        /// The caller keeps the store, and closes it.
        case keeping
        /// The caller returns the store.
        case borrowing
        /// The caller did not obtain the store.
        case failing
    }

    /// Ends a use.
    ///
    /// - Returns: The store if it has no other user; the caller must close it.
    func end(_ use: Use) -> Store? {
        state.withLock { state in
            state.users -= 1
            switch use {
            case .keeping: state.isKept = true
            case .borrowing: state.isLeft = true
            case .failing: break
            }
            guard state.isLeft, !state.isKept, state.users == 0, !state.isRetiring, let store = state.store else {
                return nil
            }
            state.isRetiring = true
            return store
        }
    }

    /// Waits for the store.
    func wait() async throws -> Store {
        state.withLock { $0.waiting += 1 }
        let isHere = Locked(true)
        let leave: @Sendable () -> Bool = { [state] in
            let wasHere = isHere.withLock { isHere in
                defer { isHere = false }
                return isHere
            }
            guard wasHere else { return false }
            return state.withLock { state in
                state.waiting -= 1
                return state.waiting == 0
            }
        }
        defer { _ = leave() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            guard leave() else { return }
            state.withLock { $0.isAbandoned = true }
            task.cancel()
        }
    }
}
