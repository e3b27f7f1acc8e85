/// One who waits for changes of some tables. What comes while nobody waits is kept, and told as one change.
final class ChangeObserver: Sendable {
    private struct State {
        /// The tables of interest; nil for all.
        var tables: Set<String>?
        /// The tables that have been written since the last ``begin()``.
        var changed: Set<String> = []
        /// Whether a read has begun whose value nobody has got yet.
        var isReading = false
        var isOver = false
        /// Whether who waits does so for the end alone.
        var waitsForEnd = false
        var waiter: CheckedContinuation<Bool, any Error>?

        var hasNews: Bool {
            guard let tables else { return !changed.isEmpty }
            return !tables.isDisjoint(with: changed)
        }
    }

    private let state: Locked<State>
    private let hub: ChangeBroadcaster
    /// Reads once more when the store is being closed and nobody has got the newest value.
    private let lastRead: (@Sendable (Connection) -> Void)?

    /// - Parameters:
    ///   - tables: The tables of interest, in lower case; nil for all.
    ///   - lastRead: Reads what is left to tell when the store is closed; nil when the change itself is all there is to
    ///     tell.
    init(_ hub: ChangeBroadcaster, tables: Set<String>?, lastRead: (@Sendable (Connection) -> Void)? = nil) {
        self.hub = hub
        self.lastRead = lastRead
        state = Locked(State(tables: tables))
        hub.add(self)
    }

    deinit {
        hub.remove(ObjectIdentifier(self))
    }

    /// Forgets what has changed up to now.
    func begin() {
        state.withLock { state in
            state.changed = []
            state.isReading = true
        }
    }

    /// Says which tables are of interest from now on, and for what has changed since ``begin()``.
    func watch(_ tables: Set<String>) {
        state.withLock { state in
            state.tables = tables
            state.isReading = false
        }
    }

    /// What reads the newest value, if nobody has got it.
    var unfinishedRead: (@Sendable (Connection) -> Void)? {
        state.withLock { $0.hasNews || $0.isReading } ? lastRead : nil
    }

    /// Waits for a change since ``begin()``.
    ///
    /// - Returns: False when the store is closed and there are no changes left.
    /// - Throws: `CancellationError`.
    func wait() async throws -> Bool {
        try await wait(forEnd: false)
    }

    /// Waits until the store is closed, and the last value is read.
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
                    if state.isOver || !forEnd && state.hasNews { return .success(state.hasNews) }
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

    func note(_ tables: Set<String>) {
        state.withLock { state in
            state.changed.formUnion(tables)
            return state.hasNews && !state.waitsForEnd ? state.waiter.take() : nil
        }?.resume(returning: true)
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }?.resume(returning: false)
    }
}
