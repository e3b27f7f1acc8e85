/// The outcome of an upsert.
public struct Upserted<Key: TableKey>: Sendable, Equatable {
    /// Whether the row existed or is new; an upsert deletes none.
    public let outcome: Saved
    /// The row's key; the smallest of several.
    public let key: Key
    private let others: [Key]

    /// The keys of all rows, smallest first: one, unless the rule is ``WriteRule/matching(_:_:several:nils:only:)``.
    public var keys: [Key] { [key] + others }

    /// Creates an outcome.
    ///
    /// - Parameters:
    ///   - outcome: Whether the row is new or existed.
    ///   - key: The row's key.
    ///   - others: The keys of further rows.
    public init(_ outcome: Saved, _ key: Key, others: [Key] = []) {
        self.outcome = outcome
        self.key = key
        self.others = others
    }
}

extension Table {
    /// Updates the row that a rule identifies, or inserts a new one.
    ///
    /// Three steps, on every engine: the row in which the rule's columns have the record's values is updated and keeps
    /// its key; if there is none, the row with the record's key is updated; if there is none either, the record is
    /// inserted, with its key if it has one.
    ///
    /// ```swift
    /// try Contact.upsert(contact, .by(\.email), in: db)
    /// try Price.upsert(price, .by(\.shop, \.article, nils: .keep), in: db)
    /// try Contact.upsert(contact, .matching(\.name, \.city, several: .updateAll), in: db)
    /// ```
    ///
    /// The hook `willSave` runs once for the record, before its row is searched, `didSave` for each row; with `only`
    /// neither runs.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - rule: The row, and the columns that are written to it if it exists.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: ``StrongroomError`` with what the ``WriteRule`` names; `constraint`, also if several rows cannot have
    ///   one value of a unique column; `staleRecord` if the row has another version than the
    ///   record; errors of the validations and the ``hooks``. Nothing is changed then.
    @inlinable
    @discardableResult
    public static func upsert(
        _ record: RecordType, _ rule: WriteRule<Self> = .key, in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let connection = db._handle.connection
        let plan = try WritePlan(rule, on: connection)
        guard rule.only == nil, let hooks else { return try write(record, plan, on: connection) }
        return try upsert(record, plan, hooks, on: connection)
    }

    /// Upserts a list of records, atomically.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; a record may update the row that an earlier
    ///     one inserted.
    ///   - rule: The row of each, and the columns that are written to it if it exists.
    ///   - db: A write transaction.
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As the method for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public static func upsert(
        contentsOf records: some Sequence<RecordType>, _ rule: WriteRule<Self> = .key,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let connection = db._handle.connection
        let plan = try WritePlan(rule, on: connection)
        let records = ContiguousArray(records)
        guard rule.only == nil, let hooks else { return try write(records, plan, on: connection) }
        return try withHooks(contentsOf: records, hooks, on: connection) { records in
            let rows = try write(records, plan, on: connection)
            for (index, row) in zip(records.indices, rows) {
                try adopt(row, in: &records[index], hooks, on: connection)
            }
            return rows
        }
    }

    @usableFromInline
    static func upsert(
        _ record: RecordType, _ plan: WritePlan<Self>, _ hooks: RecordHooks<RecordType>, on connection: Connection
    ) throws -> Upserted<Key> {
        var copy = record
        return try withHooks(&copy, hooks, on: connection) { record in
            let row = try write(record, plan, on: connection)
            try adopt(row, in: &record, hooks, on: connection)
            return row
        }
    }

    /// Sets in a record what an upsert has written. The hook that follows runs for the last of several rows.
    @usableFromInline
    static func adopt(
        _ row: Upserted<Key>, in record: inout RecordType, _ hooks: RecordHooks<RecordType>, on connection: Connection
    ) throws {
        let keys = row.keys
        for key in keys.dropLast() {
            var saved = record
            adopt(key, row.outcome, in: &saved, on: connection)
            try hooks.didSave(saved, in: WriteTransaction(connection))
        }
        adopt(keys[keys.count - 1], row.outcome, in: &record, on: connection)
    }

    // MARK: Without hooks

    @inlinable
    static func write(
        _ records: ContiguousArray<RecordType>, _ plan: WritePlan<Self>, on connection: Connection
    ) throws -> [Upserted<Key>] {
        guard plan.row != .insert else {
            return try insert(contentsOf: records, on: connection).map { Upserted(.inserted, $0) }
        }
        return try connection.inList(of: records.count) {
            try records.map { try write($0, plan, on: connection) }
        }
    }

    @inlinable
    static func write(
        _ record: RecordType, _ plan: WritePlan<Self>, on connection: Connection
    ) throws -> Upserted<Key> {
        var isValid = false
        return try write(plan, on: connection, key: key(of: record)) { bindings in
            try record.encode(to: bindings)
        } update: { key, isSame in
            if plan.row == .update {
                try validateUpdate(record)
            } else if !isValid {
                guard try isUpdate(record, at: key, on: connection) else { return nil }
                isValid = true
            }
            // An update without the columns that are equal saves the engine the update of their index.
            let leftOut = isSame && plan.leftOut.isEmpty ? plan.indices : plan.leftOut
            return try update(record, at: key, plan.operation, except: leftOut, on: connection) ? key : nil
        } insert: {
            try insert(record, on: connection)
        }
    }

    /// Validates an update; an error is thrown if there is a row to update, and otherwise ignored.
    @inlinable
    static func isUpdate(_ record: RecordType, at key: Key, on connection: Connection) throws -> Bool {
        do {
            try validateUpdate(record)
            return true
        } catch {
            if try isPresent(key, on: connection) { throw error }
            return false
        }
    }

    // MARK: The rule

    /// The steps of a rule. A failure after an update would have to roll it back: each step is one statement, and only
    /// one of them changes anything.
    ///
    /// - Parameters:
    ///   - key: The key of what is written; nil if it has none.
    ///   - encode: Sets its values, as a record does; only those that identify the row are needed.
    ///   - update: Updates the row with a key and returns that, or nil if there is no such row; also gets whether the
    ///     columns that identify the row are equal byte by byte.
    ///   - insert: Inserts it.
    @inlinable
    static func write(
        _ plan: WritePlan<Self>, on connection: Connection, key: @autoclosure () throws -> Key?,
        _ encode: (borrowing Bindings) throws -> Void, update: (_ key: Key, _ isSame: Bool) throws -> Key?,
        insert: () throws -> Key
    ) throws -> Upserted<Key> {
        switch plan.row {
        case .key: break
        case .unique:
            guard let present = try plan.row(on: connection, encode) else { break }
            guard let updated = try update(present.key, present.isSame) else { throw schema.noSuchRow }
            return Upserted(.updated, updated)
        case .matching:
            let keys = try plan.rows(on: connection, encode)
            guard !keys.isEmpty else { break }
            return try updateAll(keys, plan, on: connection) { try update($0, false) }
        case .insert: return Upserted(.inserted, try insert())
        case .update:
            guard let key = try key() else {
                try schema.checkKey()
                throw schema.missingKey
            }
            guard let updated = try update(key, false) else { throw schema.noSuchRow }
            return Upserted(.updated, updated)
        }
        if let key = try key(), let updated = try update(key, false) { return Upserted(.updated, updated) }
        if plan.row == .key { try schema.checkKey() }
        return Upserted(.inserted, try insert())
    }

    /// - Parameter keys: Those of the rows that match, at least one.
    @usableFromInline
    static func updateAll(
        _ keys: [Key], _ plan: WritePlan<Self>, on connection: Connection, _ update: (Key) throws -> Key?
    ) throws -> Upserted<Key> {
        guard keys.count == 1 || plan.several == .updateAll else { throw schema.severalRows(plan.names) }
        let updated = try connection.inSavepoint {
            try keys.map { key in
                guard let key = try update(key) else { throw schema.noSuchRow }
                return key
            }
        }
        return Upserted(.updated, updated[0], others: Array(updated.dropFirst()))
    }
}

extension TableSchema {
    func severalRows(_ columns: [String]) -> StrongroomError {
        StrongroomError(
            .notUnique,
            """
            Several rows of table "\(name)" have the record's value of \(columns.listed); nothing was changed. \
            Match further columns, or update all of the rows with `several: .updateAll`.
            """)
    }
}
