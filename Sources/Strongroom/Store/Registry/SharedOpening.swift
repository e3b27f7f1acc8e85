/// An opening that runs, or has come to its end, and the users that share it: those who wait for it, and those who have
/// its store.
///
/// When the last of those who wait is cancelled, so is the opening. A store that was only borrowed is closed by its
/// last borrower.
final class SharedOpening: Sendable {
    private struct State {
        /// What it came to.
        var store: Store?
        /// How many wait for it, or have borrowed the store.
        var users = 0
        /// Whether the store was given to somebody who does not give it back: only they close it.
        var isKept = false
        /// Whether a borrower has left it to those who waited for it.
        var isLeft = false
        /// Whether the last borrower is closing the store.
        var isRetiring = false
        /// How many wait for it.
        var waiting = 0
        /// Whether all who waited were cancelled.
        var isAbandoned = false
    }

    let id: OpeningWaits.Opening
    let task: Task<Store, any Error>
    private let state = Locked(State())

    init(id: OpeningWaits.Opening, task: Task<Store, any Error>) {
        self.id = id
        self.task = task
    }

    /// Whether all who waited were cancelled.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Whether the last borrower is closing the store.
    var isRetiring: Bool { state.withLock { $0.isRetiring } }

    /// The store, where somebody has it who keeps it.
    var keptStore: Store? { state.withLock { $0.isKept ? $0.store : nil } }

    /// Notes what it came to.
    func finish(_ store: Store) {
        state.withLock { $0.store = store }
    }

    /// Counts one more user.
    func addUser() {
        state.withLock { $0.users += 1 }
    }

    /// How one's use ends.
    enum Use {
        /// One has the store from now on, and closes it.
        case keeping
        /// One gives it back.
        case borrowing
        /// One has not got it.
        case failing
    }

    /// Ends one's use.
    ///
    /// - Returns: The store when nobody else has it, which is then to be closed.
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
