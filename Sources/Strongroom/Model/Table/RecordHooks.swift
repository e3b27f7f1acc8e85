/// Actions that a table performs when a record is saved or deleted, in the same transaction.
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
/// Hooks run for every operation that writes a whole record (`insert`, `update`, `upsert`, `save`, one record or a
/// list) and for the methods `delete` that take a record. Operations on single columns (`only:`, JSON, assignments) or
/// on rows without records (a delete by key or by a condition, `truncate`) run none. A hook that throws rolls back the
/// write or the delete including its own changes, and nothing else of the transaction.
///
/// A hook that writes a whole record of its own table runs the hooks again, without end; use `update(_:only:in:)` or
/// assignments there. Hooks also run in migrations: a step that inserts rows uses assignments or SQL if a hook needs
/// tables of later versions.
///
/// A list is written in three steps: `willSave` for each record, then the rows, then `didSave` for each record.
public struct RecordHooks<R: Record>: Sendable {
    private var changes: [@Sendable (inout R, borrowing WriteTransaction) throws -> Void] = []
    private var afterSave: [@Sendable (R, borrowing WriteTransaction) throws -> Void] = []
    private var beforeDelete: [@Sendable (R, borrowing WriteTransaction) throws -> Void] = []
    private var afterDelete: [@Sendable (R, borrowing WriteTransaction) throws -> Void] = []
    private var marks: [@Sendable (R) -> Bool] = []

    /// No hooks.
    public init() {}

    /// Adds a hook that runs before a record is saved; its changes to the record are stored.
    ///
    /// - Parameter hook: Throws to reject the record.
    /// - Returns: The hooks with this one added.
    public func willSave(
        _ hook: @escaping @Sendable (_ record: inout R, _ db: borrowing WriteTransaction) throws -> Void
    ) -> RecordHooks {
        var copy = self
        copy.changes.append(hook)
        return copy
    }

    /// Adds a hook that runs after a record's row is written; the record has its key.
    ///
    /// - Parameter hook: Throws to roll the save back.
    /// - Returns: The hooks with this one added.
    public func didSave(
        _ hook: @escaping @Sendable (_ record: R, _ db: borrowing WriteTransaction) throws -> Void
    ) -> RecordHooks {
        var copy = self
        copy.afterSave.append(hook)
        return copy
    }

    /// Adds a hook that runs before a record's row is deleted, whether it exists or not.
    ///
    /// - Parameter hook: Throws to keep the row.
    /// - Returns: The hooks with this one added.
    public func willDelete(
        _ hook: @escaping @Sendable (_ record: R, _ db: borrowing WriteTransaction) throws -> Void
    ) -> RecordHooks {
        var copy = self
        copy.beforeDelete.append(hook)
        return copy
    }

    /// Adds a hook that runs after a record's row is deleted; not if there was none.
    ///
    /// - Parameter hook: Throws to roll the deletion back.
    /// - Returns: The hooks with this one added.
    public func didDelete(
        _ hook: @escaping @Sendable (_ record: R, _ db: borrowing WriteTransaction) throws -> Void
    ) -> RecordHooks {
        var copy = self
        copy.afterDelete.append(hook)
        return copy
    }

    /// Sets which records `save` deletes instead: mark a record and save it with the others.
    ///
    /// - Parameter isMarked: Whether a record is marked; evaluated before anything else. For a marked record
    ///   without a row nothing is written.
    /// - Returns: The hooks with this condition added; a record is deleted if any condition is true.
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
        for hook in afterSave { try hook(record, db) }
    }

    func willDelete(_ record: R, in db: borrowing WriteTransaction) throws {
        for hook in beforeDelete { try hook(record, db) }
    }

    func didDelete(_ record: R, in db: borrowing WriteTransaction) throws {
        for hook in afterDelete { try hook(record, db) }
    }
}
