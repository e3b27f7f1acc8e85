public import Strongroom

/// A shared record that can save itself when it is released.
///
/// ```swift
/// let ada = try await Contact.live(42, saving: .onRelease)
/// ada?.name = "Ada Lovelace"
/// // After the last reference is released, the change is queued for the writer; `store.close()` waits for it.
/// ```
///
/// The properties are the record's. A save writes the object's own row, not its children; to save those, save a copy
/// with `try await copy.save(cascading: true)`. Neither a change nor a release blocks or accesses the disk on its own
/// thread: the save is queued for the store's writer, also if the last reference is released inside a transaction of
/// the store. Pending changes are saved as one.
///
/// A save writes the columns that have changed since the record was read (`live(_:)`, or `isNew: false`) or last saved,
/// so that changes of the other columns by other objects or processes are kept. If two objects have changed the same
/// column, the later save wins. A row that was deleted meanwhile is not inserted again, unless
/// ``LiveMissingRow/insert`` is set: the save throws `noSuchRow`.
///
/// An error of ``save()`` is thrown; an error of an automatic save is passed to the failure handler or, without one,
/// logged by the store's logger or swift-log's default. The object then keeps its changes, and tries again after the
/// next change, when it is released, and when the store is closed.
///
/// It can be used from any thread. Each change applies to the newest value; a change that reads and writes a property,
/// such as `count += 1`, belongs in ``change(_:)``.
@dynamicMemberLookup
public final class Live<Source: Table>: Sendable where Source.RecordType == Source {
    /// Called with the error of a failed automatic save, and the record that was to be saved. It must neither read nor
    /// write the store with a blocking call, nor wait for a thread that does.
    public typealias FailureHandler = @Sendable (_ error: any Error, _ record: Source) -> Void

    private let state: LiveState<Source>

    /// Creates an object of a store.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - saving: When it is saved.
    ///   - isNew: True to save the record even if it is not changed. False for a record as it was read; a save then
    ///     writes the columns changed since. Nil for a record that may be new: one without a key is saved even if it is
    ///     not changed, and the first save writes all columns, inserting a row if there is none.
    ///   - missingRow: What a save does if the object's row has been deleted.
    ///   - store: The store; the object retains it.
    ///   - clock: The clock of ``LiveSaving/debounced(_:)``.
    ///   - onFailure: Called for failures of automatic saves; nil to log them.
    public init(
        _ record: Source, saving: LiveSaving = .manual, isNew: Bool? = nil, missingRow: LiveMissingRow = .fail,
        in store: Store, clock: any Clock<Duration> = ContinuousClock(), onFailure: FailureHandler? = nil
    ) {
        state = LiveState(
            record, saving: saving, isNew: isNew, missingRow: missingRow, store: store,
            sleep: { try await clock.sleep(for: $0) }, onFailure: onFailure ?? Self.logging(of: store))
        if state.hasChanges { state.saveByItself() }
    }

    /// Creates an object of the store that its table names, which is opened if necessary.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - saving: When it is saved.
    ///   - isNew: True to save the record even if it is not changed. False for a record as it was read; a save then
    ///     writes the columns changed since. Nil for a record that may be new: one without a key is saved even if it is
    ///     not changed, and the first save writes all columns, inserting a row if there is none.
    ///   - missingRow: What a save does if the object's row has been deleted.
    ///   - clock: The clock of ``LiveSaving/debounced(_:)``.
    ///   - onFailure: Called for failures of automatic saves; nil to log them.
    /// - Throws: As `Stores.open`; `StrongroomError` with `schemaChange` if the table cannot be created as it is
    ///   declared.
    public convenience init(
        _ record: Source, saving: LiveSaving = .manual, isNew: Bool? = nil, missingRow: LiveMissingRow = .fail,
        clock: any Clock<Duration> = ContinuousClock(), onFailure: FailureHandler? = nil
    ) async throws {
        let store = try await Objects<Source>.store()
        self.init(
            record, saving: saving, isNew: isNew, missingRow: missingRow, in: store, clock: clock, onFailure: onFailure)
    }

    deinit {
        state.release()
    }

    private static func logging(of store: Store) -> FailureHandler {
        let log = store.failureLog()
        return { error, _ in
            // The error's description contains no value of the record.
            log("an object could not be saved", ["table": Source.schema.name, "error": "\(error)"])
        }
    }

    // MARK: The record

    /// The current record; setting it is a change.
    public var value: Source {
        get { state.value }
        set { state.change { $0 = newValue } }
    }

    /// A property of the record.
    public subscript<Value>(dynamicMember property: KeyPath<Source, Value>) -> Value {
        state.value[keyPath: property]
    }

    /// A property of the record; setting it is a change.
    public subscript<Value>(dynamicMember property: WritableKeyPath<Source, Value>) -> Value {
        get { state.value[keyPath: property] }
        set { state.change { $0[keyPath: property] = newValue } }
    }

    /// Changes the record, several properties as one change.
    ///
    /// ```swift
    /// ada.change { $0.visits += 1; $0.lastVisit = .now }
    /// ```
    ///
    /// - Parameter body: Changes the record; called again if another thread has changed it meanwhile.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; nothing is changed then.
    @discardableResult
    public func change<Result>(_ body: (inout Source) throws -> Result) rethrows -> Result {
        try state.change(body)
    }

    /// Whether there are changes that are not saved yet.
    public var hasChanges: Bool { state.hasChanges }

    // MARK: Saving

    /// Saves the object if it has changes; returns after the commit is on the disk.
    ///
    /// Inside a transaction, save the record itself: `var contact = ada.value; try Contact.save(&contact, in: db)`.
    ///
    /// - Returns: What was done; nil if there was nothing to save.
    /// - Throws: As `Table.save(_:_:cascading:in:)`; `StrongroomError` with `noSuchRow` if the object's row
    ///   has been deleted, `closed`, or the engine's failure. The object keeps its changes. Cancelling the task does
    ///   not cancel the save.
    @discardableResult
    public func save() async throws -> Saved? {
        try await state.save()
    }

    /// Deletes the object's row. The object keeps its values and its key, and is saved automatically only after another
    /// change.
    ///
    /// - Returns: Whether there was a row.
    /// - Throws: `StrongroomError` with `missingKey` if the object has no key; otherwise as ``save()``.
    @discardableResult
    public func delete() async throws -> Bool {
        try await state.delete()
    }
}

extension Table where RecordType == Self {
    /// The object with a key, as a shared object that can save itself.
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - saving: When it is saved.
    ///   - missingRow: What a save does if the object's row has been deleted.
    ///   - clock: The clock of ``LiveSaving/debounced(_:)``.
    ///   - onFailure: Called for failures of automatic saves; nil to log them.
    /// - Returns: The object, or nil if there is no row.
    /// - Throws: As `find`.
    public static func live(
        _ key: Key, saving: LiveSaving = .manual, missingRow: LiveMissingRow = .fail,
        clock: any Clock<Duration> = ContinuousClock(), onFailure: Live<Self>.FailureHandler? = nil
    ) async throws -> Live<Self>? {
        let store = try await Objects<Self>.store()
        guard let record = try await store.read({ db in try Self.find(key, in: db) }) else { return nil }
        return Live(
            record, saving: saving, isNew: false, missingRow: missingRow, in: store, clock: clock,
            onFailure: onFailure)
    }
}
