import Strongroom

/// What a ``Live`` object holds: it outlives the object until what is in the writer's line has been saved.
final class LiveState<Source: Table>: DeferredWrite where Source.RecordType == Source {
    private struct State {
        var value: Source
        /// The record as its row is known to be: as it was read, or as the last committed save has left it. Nil when no
        /// row is known.
        var base: Source?
        /// The columns that saves have written whose transactions are not committed yet.
        var uncertain: Set<Int> = []
        /// How many such saves there are.
        var uncommitted = 0
        /// Counts what happens to the value.
        var version: UInt64 = 0
        /// Counts the changes, which are to be saved.
        var changes: UInt64
        /// As many as are on the disk.
        var saved: UInt64 = 0
        /// The key that a save has made whose transaction is not committed yet. Another save may run in it, and must
        /// find the row; if it is not committed the key may become another row's.
        var madeKey: Source.Key?
        /// As many changes as a save has written whose transaction is not committed yet.
        var written: UInt64?
        /// As many changes as a deletion has made needless whose transaction is not committed yet.
        var deleted: UInt64?
        var sleeper: Task<Void, Never>?
        /// Whether nobody refers to the object any more.
        var isReleased = false

        /// Whether there is nothing to write, if what has not been committed yet is.
        var isDone: Bool { [saved, written, deleted].contains(changes) }
    }

    private let state: Locked<State>
    private let saving: LiveSaving
    private let missingRow: LiveMissingRow
    private let store: Store
    /// How errors name its saves; made beforehand, since it is asked for under a lock.
    private let label: String
    private let sleep: @Sendable (Duration) async throws -> Void
    private let onFailure: Live<Source>.FailureHandler

    init(
        _ record: Source, saving: LiveSaving, isNew: Bool?, missingRow: LiveMissingRow, store: Store,
        sleep: @escaping @Sendable (Duration) async throws -> Void, onFailure: @escaping Live<Source>.FailureHandler
    ) {
        // Of a record that only has a key nobody says that it is as its row is, or that there is a row.
        let hasChanges = isNew ?? (Source.key(of: record) == nil)
        state = Locked(State(value: record, base: isNew == false ? record : nil, changes: hasChanges ? 1 : 0))
        self.saving = saving
        self.missingRow = missingRow
        self.store = store
        label = "an object of table \(Source.schema.name)"
        self.sleep = sleep
        self.onFailure = onFailure
    }

    var value: Source { state.withLock { $0.value } }

    var hasChanges: Bool { state.withLock { $0.changes != $0.saved } }

    // MARK: Changing

    func change<Result>(_ body: (inout Source) throws -> Result) rethrows -> Result {
        let result = try edit(countsAsChange: true, body)
        saveByItself()
        return result
    }

    /// Sees to it that what has to be saved is saved without anybody's asking.
    func saveByItself() {
        guard saving != .manual else { return }
        waitForSaving()
        if case .debounced(let time) = saving { saveAfter(time) }
    }

    /// Changes the value by code of the user's, which must not run under the lock: again, if somebody else was faster.
    private func edit<Result>(countsAsChange: Bool, _ body: (inout Source) throws -> Result) rethrows -> Result {
        while true {
            var (value, version) = state.withLock { ($0.value, $0.version) }
            let result = try body(&value)
            if replace(by: value, version, countsAsChange: countsAsChange) { return result }
        }
    }

    /// Replaces the value if it is still the one of a version.
    private func replace(by value: Source, _ version: UInt64, countsAsChange: Bool) -> Bool {
        // What the former value holds is let go of outside the lock.
        let (isDone, _) = state.withLock { state -> (Bool, Source) in
            let former = state.value
            guard state.version == version else { return (false, former) }
            state.value = value
            state.version += 1
            if countsAsChange { state.changes += 1 }
            return (true, former)
        }
        return isDone
    }

    private func saveAfter(_ time: Duration) {
        let sleeper = Task.detached { [weak self, sleep] in
            do {
                try await sleep(time)
            } catch {
                // A clock that fails must not cost the change; a cancelled one says so below.
            }
            guard !Task.isCancelled else { return }
            self?.endWaiting()
        }
        state.withLock { state in
            defer { state.sleeper = sleeper }
            return state.sleeper
        }?.cancel()
    }

    /// Nobody refers to the object any more.
    func release() {
        state.withLock { $0.sleeper.take() }?.cancel()
        endWaiting(isReleased: true)
    }

    /// Whoever closes the store waits neither for a time nor for the last reference.
    ///
    /// What is noted refers to the store, and the store to it, until the last reference to the object dies or the store
    /// is closed.
    private func waitForSaving() {
        store.deferredWrites.withLock { writes in
            guard !state.withLock({ $0.isReleased }) else { return }
            writes[ObjectIdentifier(self)] = self
        }
    }

    /// The time is over, or nobody refers to the object any more. One step: a store that is closed meanwhile finds the
    /// object either waiting or in the writer's line.
    private func endWaiting(isReleased: Bool = false) {
        store.deferredWrites.withLock { writes in
            if isReleased { state.withLock { $0.isReleased = true } }
            if writes.removeValue(forKey: ObjectIdentifier(self)) != nil { queue() }
        }
    }

    func queue() {
        if hasChanges { queueSave() }
    }

    // MARK: Saving

    /// What a save has come to, if its transaction is committed.
    private struct Outcome: Sendable {
        var saved: Saved?
        var isDeleted = false
        let record: Source
        let version: UInt64
        let changes: UInt64
        var hasMadeKey = false
        var hasDeleted = false
        var hasWritten = false
    }

    func save() async throws -> Saved? {
        guard hasChanges else { return nil }
        return try await withCheckedThrowingContinuation { continuation in
            queue(saveNow) { result in continuation.resume(with: result.map(\.?.saved)) }
        }
    }

    func delete() async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            queue(deleteNow) { result in continuation.resume(with: result.map { $0?.isDeleted ?? false }) }
        }
    }

    private func queueSave() {
        queue(saveNow) { [self] result in
            guard case .failure(let error) = result else { return }
            // It is tried again with the next change, with the last reference, and when the store is closed.
            waitForSaving()
            onFailure(error, value)
        }
    }

    /// Puts work into the writer's line: it takes the value as it is then, so that two saves of a new object never make
    /// two rows of it.
    private func queue(
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Outcome,
        _ finish: @escaping @Sendable (Result<Outcome?, any Error>) -> Void
    ) {
        let outcome = Locked<Outcome?>(nil)
        store.queueWrite(label) { db in
            let made = try work(db)
            outcome.withLock { $0 = made }
        } undone: { [self] in
            // Once: what comes after it in the line may make a key of its own before the end of this is told.
            forget(outcome.withLock { $0.take() })
        } finish: { [self] result in
            let outcome = outcome.withLock { $0 }
            if case .success = result, let outcome { keep(outcome) } else { forget(outcome) }
            finish(result.map { outcome })
        }
    }

    @Sendable
    private func saveNow(in db: borrowing WriteTransaction) throws -> Outcome {
        let (value, version, changes, isDone, madeKey) = state.withLock {
            ($0.value, $0.version, $0.changes, $0.isDone, $0.madeKey)
        }
        guard !isDone else { return Outcome(record: value, version: version, changes: changes) }
        try store.prepare([Source.self], in: db)
        var record = value
        let hadKey = Source.key(of: value) != nil
        if !hadKey, let madeKey { Source.setKey(madeKey, of: &record) }
        let (saved, written) = try write(&record, in: db)
        var outcome = Outcome(saved: saved, record: record, version: version, changes: changes, hasWritten: true)
        let key = !hadKey && madeKey == nil ? Source.key(of: record) : nil
        outcome.hasMadeKey = key != nil
        state.withLock { state in
            if let key { state.madeKey = key }
            state.written = changes
            state.uncertain.formUnion(written)
            state.uncommitted += 1
        }
        return outcome
    }

    /// Writes the record's row: of one that is known the columns that differ from what is known of it, so that what
    /// others have changed meanwhile stays.
    ///
    /// - Returns: What was done, and the columns that were written.
    private func write(
        _ record: inout Source, in db: borrowing WriteTransaction
    ) throws -> (saved: Saved, columns: Set<Int>) {
        // Nothing is known of the row behind a deletion of the object's own, which is not committed yet.
        let (base, uncertain) = state.withLock { ($0.deleted == nil ? $0.base : nil, $0.uncertain) }
        guard let base else { return (try Source.save(&record, in: db), Set(Source.columnNames.indices)) }
        let (saved, columns) = try Source.save(
            &record, changedSince: base, writing: uncertain,
            whenDeleted: { [missingRow] in if missingRow == .fail { throw Self.deletedRow } }, in: db)
        return (saved, columns)
    }

    private static var deletedRow: StrongroomError {
        StrongroomError(
            .noSuchRow,
            """
            The object's row of table "\(Source.schema.name)" has been deleted, so its changes were not saved. Release \
            the object, or insert its value again; `missingRow: .insert` does so by itself.
            """)
    }

    @Sendable
    private func deleteNow(in db: borrowing WriteTransaction) throws -> Outcome {
        let (value, version, changes, madeKey) = state.withLock { ($0.value, $0.version, $0.changes, $0.madeKey) }
        try store.prepare([Source.self], in: db)
        var record = value
        if Source.key(of: value) == nil, let madeKey { Source.setKey(madeKey, of: &record) }
        let isDeleted = try Source.delete(record, in: db)
        state.withLock { $0.deleted = changes }
        return Outcome(isDeleted: isDeleted, record: record, version: version, changes: changes, hasDeleted: true)
    }

    /// Takes over what saving has made of the value, which is on the disk now: all of it or, when it has been changed
    /// meanwhile, its key.
    private func keep(_ outcome: Outcome) {
        if !replace(by: outcome.record, outcome.version, countsAsChange: false), outcome.hasMadeKey,
            let key = Source.key(of: outcome.record)
        {
            // Whoever has given it another key meanwhile means another row.
            edit(countsAsChange: false) { if Source.key(of: $0) == nil { Source.setKey(key, of: &$0) } }
        }
        // What the former one holds is let go of outside the lock.
        let former = state.withLock { state -> Source? in
            state.saved = max(state.saved, outcome.changes)
            finish(outcome, &state)
            guard outcome.hasWritten || outcome.hasDeleted else { return nil }
            let former = state.base
            state.base = outcome.hasDeleted || outcome.saved == .deleted ? nil : outcome.record
            return former
        }
        _ = former
    }

    /// What was saved or deleted is undone, and a key that was made may become another row's.
    private func forget(_ outcome: Outcome?) {
        guard let outcome else { return }
        state.withLock { finish(outcome, &$0) }
    }

    private func finish(_ outcome: Outcome, _ state: inout State) {
        if outcome.hasMadeKey { state.madeKey = nil }
        if outcome.hasDeleted { state.deleted = nil }
        guard outcome.hasWritten else { return }
        state.written = nil
        state.uncommitted -= 1
        if state.uncommitted == 0 { state.uncertain = [] }
    }
}
