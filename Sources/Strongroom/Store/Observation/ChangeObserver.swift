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
