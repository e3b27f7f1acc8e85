/// A type that can be read from a row and written to one.
///
/// A record decodes and encodes its columns by their index in ``columnNames``. A record type can be stored in several
/// tables, and a table can be read as several record types.
///
/// ```swift
/// struct NameCard: Record {
///     var name: String
///     var phone: String?
///
///     static let columnNames = ["name", "phone"]
///     init(row: borrowing Row) throws {
///         name = try row[0]
///         phone = try row[1]
///     }
///     func encode(to bindings: borrowing Bindings) throws {
///         try bindings.set(name, at: 0)
///         try bindings.set(phone, at: 1)
///     }
/// }
/// ```
public protocol Record: Sendable {
    /// The columns of the record, in order.
    static var columnNames: [String] { get }

    /// Creates a record from a row.
    ///
    /// - Parameter row: The row; its columns are ``columnNames``, in that order.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if a value does not fit.
    init(row: borrowing Row) throws

    /// Sets the value of every column.
    ///
    /// - Parameter bindings: The parameters; the index is the column's index in ``columnNames``. A column that is not
    ///   set is NULL.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine cannot store.
    func encode(to bindings: borrowing Bindings) throws

    /// Updates an existing record from a row; properties that are not stored are not changed.
    ///
    /// - Parameter row: The row; its columns are ``columnNames``, in that order.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if a value does not fit.
    mutating func _update(from row: borrowing Row) throws

    /// The column of a property, for a `#Predicate` in StrongroomObjects.
    ///
    /// - Parameter property: A property of the record.
    /// - Returns: The column's name, or nil if the property is not stored.
    static func _columnName(of property: PartialKeyPath<Self>) -> String?

    /// The definitions of the columns, from which `#Predicate` gets the scale of a decimal in a record that is not a
    /// table.
    static var _columnDefinitions: [ColumnDefinition] { get }

    /// The columns that a table keeps by itself when a record is written: a version, and times; nil for none, which has
    /// no overhead. Declare it as a `static let` rather than a computed property.
    static var _upkeep: _RecordUpkeep<Self>? { get }
}

extension Record {
    /// Replaces the record by a new one from the row.
    @inlinable
    public mutating func _update(from row: borrowing Row) throws {
        self = try Self(row: row)
    }

    /// None.
    @inlinable public static var _upkeep: _RecordUpkeep<Self>? { nil }

    /// Empty: no column is declared.
    public static var _columnDefinitions: [ColumnDefinition] { [] }

    /// Nil for all properties.
    public static func _columnName(of property: PartialKeyPath<Self>) -> String? { nil }
}

extension Record {
    /// The record's values by column, in their stored form.
    package func columnValues() throws -> [String: SQLValue] {
        let list = try values()
        return Dictionary(zip(list.names, list.values), uniquingKeysWith: { first, _ in first })
    }

    /// Copies the values of another record, of this type or of any other, for the columns that both have.
    ///
    /// Nil values of the other record are not copied. Without overriding, only values that are nil in this record are
    /// set.
    ///
    /// ```swift
    /// try contact.merge(imported)                       // fills the gaps
    /// try contact.merge(imported, overriding: true)     // the import counts more
    /// ```
    ///
    /// - Parameters:
    ///   - other: The other record.
    ///   - overriding: Whether values that are not nil in this record are replaced.
    ///   - columns: The columns to copy; nil for all.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if a value of the other record does not fit this one; nothing
    ///   is changed then. `valueNotStorable` for a value that the engine cannot store.
    public mutating func merge(
        _ other: some Record,
        overriding: Bool = false,
        columns: Set<String>? = nil
    ) throws {
        var list = try values()
        let theirs = try other.values()
        let chosen = columns.map(Array.init)
        for (index, name) in list.names.enumerated() {
            if let chosen, Identifier.index(of: name, in: chosen) == nil { continue }
            guard let value = theirs[name], value != .null else { continue }
            if overriding || list.values[index] == .null { list.values[index] = value }
        }
        var merged = self
        try withUnsafePointer(to: list) { try merged._update(from: Row($0)) }
        self = merged
    }

    /// The indices of the columns in which the record differs from another one.
    func columns(differingFrom other: Self) throws -> Set<Int> {
        let (list, others) = try (values(), other.values())
        return Set(list.values.indices.filter { list.values[$0].exact != others.values[$0].exact })
    }

    func values() throws -> ValueList {
        var list = ValueList(Self.columnNames)
        try withUnsafeMutablePointer(to: &list.values) { try encode(to: Bindings($0)) }
        return list
    }
}

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
/// Hooks run for every operation that writes a full record (`insert`, `update`, `upsert`, `save`, one record or a
/// list) and for the methods `delete` that take a record. Operations on single columns (`only:`, JSON, assignments) or
/// on rows without records (a delete by key or by a condition, `truncate`) run none. A hook that throws rolls back the
/// write or the delete including its own changes, and nothing else of the transaction.
///
/// A hook that writes a full record of its own table recurses forever; use `update(_:only:in:)` or
/// assignments there. Hooks also run in migrations: a step that inserts rows uses assignments or SQL if a hook needs
/// tables of later versions.
///
/// A list is written in three steps: `willSave` for each record, then the rows, then `didSave` for each record.
public struct RecordHooks<R: Record>: Sendable, Refinable {
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
        refined { $0.changes.append(hook) }
    }

    /// Adds a hook that runs after a record's row is written; the record has its key.
    ///
    /// - Parameter hook: Throws to roll the save back.
    /// - Returns: The hooks with this one added.
    public func didSave(
        _ hook: @escaping @Sendable (_ record: R, _ db: borrowing WriteTransaction) throws -> Void
    ) -> RecordHooks {
        refined { $0.afterSave.append(hook) }
    }

    /// Adds a hook that runs before a record's row is deleted, whether it exists or not.
    ///
    /// - Parameter hook: Throws to keep the row.
    /// - Returns: The hooks with this one added.
    public func willDelete(
        _ hook: @escaping @Sendable (_ record: R, _ db: borrowing WriteTransaction) throws -> Void
    ) -> RecordHooks {
        refined { $0.beforeDelete.append(hook) }
    }

    /// Adds a hook that runs after a record's row is deleted; not if there was none.
    ///
    /// - Parameter hook: Throws to roll the deletion back.
    /// - Returns: The hooks with this one added.
    public func didDelete(
        _ hook: @escaping @Sendable (_ record: R, _ db: borrowing WriteTransaction) throws -> Void
    ) -> RecordHooks {
        refined { $0.afterDelete.append(hook) }
    }

    /// Sets which records `save` deletes instead: mark a record and save it with the others.
    ///
    /// - Parameter isMarked: Whether a record is marked; evaluated before anything else. For a marked record
    ///   without a row nothing is written.
    /// - Returns: The hooks with this condition added; a record is deleted if any condition is true.
    public func deletesOnSave(_ isMarked: @escaping @Sendable (R) -> Bool) -> RecordHooks {
        refined { $0.marks.append(isMarked) }
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

/// What a write did with a record.
public enum Saved: Sendable, Hashable {
    /// The row is new.
    case inserted
    /// The row existed and was updated.
    case updated
    /// The record was marked by ``RecordHooks/deletesOnSave(_:)``, and its row was deleted.
    case deleted
}
