import Logging

/// A record that many can refer to, and that can save itself when it goes away.
///
/// ```swift
/// let ada = try await Contact.live(42, saving: .onRelease)
/// ada?.name = "Ada Lovelace"
/// // Nobody refers to it any more: the change is in the writer's line, and `store.close()` waits for it.
/// ```
///
/// The properties are the record's. Its own row is saved, not its children: for those save a copy,
/// `try await copy.save(cascading: true)`. Nothing that a change or a release leads to touches the disk on its own
/// thread, and nobody waits: the change is put in the line of the store's writer, also by the last reference that dies
/// inside a transaction of the store. Changes that pile up are saved as one, the latest.
///
/// A save writes the columns that have changed since the record was read (`live(_:)`, or `isNew: false`) or last saved,
/// so that what another object or another process has changed in
/// the others stays. Where two have changed one column, the later save counts. A row that was deleted meanwhile is not
/// brought back, unless
/// ``LiveMissingRow/insert`` says so: the save throws `noSuchRow`.
///
/// A failure of ``save()`` is thrown; one of a save that nobody waits for goes to the handler that was given, or else
/// to the store's logger, or where there is none to swift-log's. The object keeps its changes then, and tries again
/// with the next one, with the last reference, and when the store is closed.
///
/// It can be used from many threads. Each change is made to the newest value; two that read and write one property,
/// such as `count += 1`, belong into ``change(_:)``.
@dynamicMemberLookup
public final class Live<Source: Table>: Sendable where Source.RecordType == Source {
    /// Is told of a save that failed and that nobody waits for, and of the record as it was to be saved. It may neither
    /// read nor write the store with a blocking call, nor wait for a thread that does.
    public typealias FailureHandler = @Sendable (_ error: any Error, _ record: Source) -> Void

    private let state: LiveState<Source>

    /// Makes an object of a store.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - saving: When it is saved.
    ///   - isNew: Whether it has to be saved even if nothing changes any more; false for a record as it was read, of
    ///     which a save writes
    ///     what has changed since. Nil for a record that may be new: one without a key is saved even if nothing
    ///     changes, and the first save
    ///     writes all columns, into a new row where there is none.
    ///   - missingRow: What a save does when the object's row has been deleted by others.
    ///   - store: The store; it is kept as long as the object is.
    ///   - clock: What ``LiveSaving/debounced(_:)`` goes by.
    ///   - onFailure: Is told of failures; nil for the store's logger.
    public init(
        _ record: Source, saving: LiveSaving = .manual, isNew: Bool? = nil, missingRow: LiveMissingRow = .fail,
        in store: Store, clock: any Clock<Duration> = ContinuousClock(), onFailure: FailureHandler? = nil
    ) {
        state = LiveState(
            record, saving: saving, isNew: isNew, missingRow: missingRow, store: store,
            sleep: { try await clock.sleep(for: $0) }, onFailure: onFailure ?? Self.logging(of: store))
        if state.hasChanges { state.saveByItself() }
    }

    /// Makes an object of the store that its table names, which is opened if need be.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - saving: When it is saved.
    ///   - isNew: Whether it has to be saved even if nothing changes any more; false for a record as it was read, of
    ///     which a save writes
    ///     what has changed since. Nil for a record that may be new: one without a key is saved even if nothing
    ///     changes, and the first save
    ///     writes all columns, into a new row where there is none.
    ///   - missingRow: What a save does when the object's row has been deleted by others.
    ///   - clock: What ``LiveSaving/debounced(_:)`` goes by.
    ///   - onFailure: Is told of failures; nil for the store's logger.
    /// - Throws: As `Stores.open`; ``StrongroomError`` with `schemaChange` when the table cannot be made as it is
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
        var logger = store.logger ?? Logger(label: "strongroom")
        logger[metadataKey: "database"] = .string(store.name.fileName)
        return { [logger] error, _ in
            // The error's description holds no value of the record's.
            logger.error(
                "an object could not be saved",
                metadata: ["table": .string(Source.schema.name), "error": .string("\(error)")])
        }
    }

    // MARK: The record

    /// The record as it is now; setting it is a change.
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
    /// - Parameter body: Changes the record; runs again when another thread has changed it meanwhile.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; then nothing is changed.
    @discardableResult
    public func change<Result>(_ body: (inout Source) throws -> Result) rethrows -> Result {
        try state.change(body)
    }

    /// Whether there is something that is not in the store yet.
    public var hasChanges: Bool { state.hasChanges }

    // MARK: Saving

    /// Saves the object if there is something to save; returns after the commit is on the disk.
    ///
    /// Inside a transaction save the record itself: `var contact = ada.value; try contact.save()`.
    ///
    /// - Returns: What was done; nil when there was nothing to save.
    /// - Throws: As `Table.save(_:cascading:in:)`; ``StrongroomError`` with `noSuchRow` when others have deleted the
    ///   object's row, `closed`, or the
    ///   engine's failure. The object keeps its changes. Cancelling the task does not
    ///   take the save back.
    @discardableResult
    public func save() async throws -> Saved? {
        try await state.save()
    }

    /// Deletes the object's row. The object keeps its values and its key, and is saved by itself only when it is
    /// changed again.
    ///
    /// - Returns: Whether there was a row.
    /// - Throws: ``StrongroomError`` with `missingKey` when the object has no key; as ``save()`` else.
    @discardableResult
    public func delete() async throws -> Bool {
        try await state.delete()
    }
}

extension Table where RecordType == Self {
    /// The object with a key, to be referred to and to save itself.
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - saving: When it is saved.
    ///   - missingRow: What a save does when the object's row has been deleted by others.
    ///   - clock: What ``LiveSaving/debounced(_:)`` goes by.
    ///   - onFailure: Is told of failures; nil for the store's logger.
    /// - Returns: The object, or nil when there is none.
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

extension Store {
    fileprivate var logger: Logger? {
        do {
            return try file.context().logger
        } catch {
            // It is closed, and saving will say so.
            return nil
        }
    }
}
