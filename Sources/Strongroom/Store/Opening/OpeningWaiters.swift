/// An opening that runs, or has come to its end.
struct OpeningInProgress {
    let id: OpeningWaits.Opening
    let task: Task<Store, any Error>
    let waiters = OpeningWaiters()
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

    /// Ends one's use.
    ///
    /// - Returns: The store when nobody else has it, which is then to be closed.
    mutating func end(_ use: Use) -> Store? {
        users -= 1
        switch use {
        case .keeping: isKept = true
        case .borrowing: isLeft = true
        case .failing: break
        }
        guard isLeft, !isKept, users == 0, !isRetiring, let store else { return nil }
        isRetiring = true
        return store
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
}

/// Those who wait for one opening: when the last of them is cancelled, so is the opening.
final class OpeningWaiters: Sendable {
    private struct State {
        var count = 0
        var isAbandoned = false
    }

    private let state = Locked(State())

    /// Whether all who waited were cancelled.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Waits for the opening.
    func wait<T: Sendable>(for task: Task<T, any Error>) async throws -> T {
        state.withLock { $0.count += 1 }
        let isHere = Locked(true)
        let leave: @Sendable () -> Bool = { [state] in
            let wasHere = isHere.withLock { isHere in
                defer { isHere = false }
                return isHere
            }
            guard wasHere else { return false }
            return state.withLock { state in
                state.count -= 1
                return state.count == 0
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
