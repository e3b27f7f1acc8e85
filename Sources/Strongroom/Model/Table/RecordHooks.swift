/// What a table does besides when a record is saved or deleted, in the same transaction.
///
/// ```swift
/// extension Contact {
///     static let hooks: RecordHooks<Contact>? = RecordHooks()
///         .willSave { contact, db in contact.changed = .now }
///         .didDelete { contact, db in try Trace.insert(Trace(of: contact), in: db) }
///         .deletesOnSave { contact in contact.isGone }
/// }
/// ```
///
/// They run for `save` and for the forms of `delete` that take a record. What works on rows without their records runs
/// none: `insert`, `update`, `upsert`, a delete by key or by a condition, `truncate`. A hook that throws undoes the
/// save or the delete, and nothing else of the transaction; whatever it wrote itself is undone with it.
///
/// A list is saved in three steps: `willSave` for each record, then the rows, then `didSave` for each record.
public struct RecordHooks<R: Record>: Sendable {
    /// Looks at a record, in the transaction.
    public typealias Look = @Sendable (_ record: R, _ db: borrowing WriteTransaction) throws -> Void
    /// May change a record, in the transaction.
    public typealias Change = @Sendable (_ record: inout R, _ db: borrowing WriteTransaction) throws -> Void

    private var changes: [Change] = []
    private var savedLooks: [Look] = []
    private var deletingLooks: [Look] = []
    private var deletedLooks: [Look] = []
    private var marks: [@Sendable (R) -> Bool] = []

    /// No hooks.
    public init() {}

    /// Adds what runs before a record is saved; what it changes is stored.
    ///
    /// - Parameter hook: Throws to refuse the record.
    /// - Returns: The hooks with this one.
    public func willSave(_ hook: @escaping Change) -> RecordHooks {
        var copy = self
        copy.changes.append(hook)
        return copy
    }

    /// Adds what runs when a record has its row; the record has its key.
    ///
    /// - Parameter hook: Throws to undo the save.
    /// - Returns: The hooks with this one.
    public func didSave(_ hook: @escaping Look) -> RecordHooks {
        var copy = self
        copy.savedLooks.append(hook)
        return copy
    }

    /// Adds what runs before a record's row is deleted, whether it is there or not.
    ///
    /// - Parameter hook: Throws to keep the row.
    /// - Returns: The hooks with this one.
    public func willDelete(_ hook: @escaping Look) -> RecordHooks {
        var copy = self
        copy.deletingLooks.append(hook)
        return copy
    }

    /// Adds what runs when a record's row is gone; not when there was none.
    ///
    /// - Parameter hook: Throws to keep the row after all.
    /// - Returns: The hooks with this one.
    public func didDelete(_ hook: @escaping Look) -> RecordHooks {
        var copy = self
        copy.deletedLooks.append(hook)
        return copy
    }

    /// Says which records `save` deletes instead: mark one, and save it with the others.
    ///
    /// - Parameter isMarked: Whether a record is marked; asked before anything else. A record without a row has nothing
    ///   to delete.
    /// - Returns: The hooks with this mark; any of several counts.
    public func deletesOnSave(_ isMarked: @escaping @Sendable (R) -> Bool) -> RecordHooks {
        var copy = self
        copy.marks.append(isMarked)
        return copy
    }

    func isMarked(_ record: R) -> Bool { marks.contains { $0(record) } }

    func willSave(_ record: inout R, in db: borrowing WriteTransaction) throws {
        for hook in changes { try hook(&record, db) }
    }

    func didSave(_ record: R, in db: borrowing WriteTransaction) throws {
        for hook in savedLooks { try hook(record, db) }
    }

    func willDelete(_ record: R, in db: borrowing WriteTransaction) throws {
        for hook in deletingLooks { try hook(record, db) }
    }

    func didDelete(_ record: R, in db: borrowing WriteTransaction) throws {
        for hook in deletedLooks { try hook(record, db) }
    }
}
