/// How an upsert treats a column whose value in the record is nil.
public enum NilPolicy: Sendable, Hashable {
    /// The row's value becomes NULL.
    case overwrite
    /// The row's value is kept.
    case keep
}

/// The outcome of an upsert.
public struct Upserted<Key: TableKey>: Sendable, Equatable {
    /// Whether the row existed or is new; an upsert deletes none.
    public let outcome: Saved
    /// The row's key.
    public let key: Key

    /// Creates an outcome.
    ///
    /// - Parameters:
    ///   - outcome: Whether the row is new or existed.
    ///   - key: The row's key.
    public init(_ outcome: Saved, _ key: Key) {
        self.outcome = outcome
        self.key = key
    }
}

extension Table {
    /// Updates the row that unique columns identify, or inserts a new one.
    ///
    /// Three steps, on every engine: the row in which the columns have the record's values is updated and keeps its
    /// key; if there is none, the row with the record's key is updated; if there is none either, the record is
    /// inserted, with its key if it has one. If the column is the primary key and nil, the record is inserted.
    ///
    /// ```swift
    /// try Contact.upsert(contact, by: \.email, in: db)
    /// try Price.upsert(price, by: \.shop, \.article, nils: .keep, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: ``StrongroomError`` with `notDeclared` if the columns are neither the primary key nor unique,
    ///   `notUnique` if several rows of the file have the values nevertheless; `missingKey` if one of the other columns
    ///   is nil, `constraint`, `staleRecord` if the row has another version than the record (see ``RecordUpkeep``);
    ///   errors of the validations.
    @inlinable
    @discardableResult
    public static func upsert<each V>(
        _ record: RecordType,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db.handle.connection)
        return try upsertWithHooks(record, by: target, nils: nils, on: db.handle.connection)
    }

    /// Updates the row with the record's key, or inserts a new one.
    ///
    /// - Parameters:
    ///   - record: The record; one without a key is inserted.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: ``StrongroomError`` with `constraint`; errors of the validations.
    @inlinable
    @discardableResult
    public static func upsert(
        _ record: RecordType,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        try upsertWithHooks(record, by: .primaryKey, nils: nils, on: db.handle.connection)
    }

    /// Upserts a list of records, atomically.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; a record may update the row that an earlier
    ///     one inserted.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: The treatment of nil in an existing row.
    ///   - db: A write transaction.
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As the method for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public static func upsert<each V>(
        contentsOf records: some Sequence<RecordType>,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db.handle.connection)
        return try upsert(contentsOf: records, by: target, nils: nils, on: db.handle.connection)
    }

    /// Upserts a list of records by the primary key, atomically.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; one without a key is inserted.
    ///   - nils: The treatment of nil in an existing row.
    ///   - db: A write transaction.
    /// - Returns: For each record, whether its row existed, and its key.
    /// - Throws: As the method for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public static func upsert(
        contentsOf records: some Sequence<RecordType>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        try upsert(contentsOf: records, by: .primaryKey, nils: nils, on: db.handle.connection)
    }

    @inlinable
    static func upsertWithHooks(
        _ record: RecordType, by target: UpsertTarget<Self>, nils: NilPolicy, on connection: Connection
    ) throws -> Upserted<Key> {
        guard let hooks else { return try upsert(record, by: target, nils: nils, on: connection) }
        var copy = record
        return try withHooks(&copy, hooks, on: connection) { record in
            let upserted = try upsert(record, by: target, nils: nils, on: connection)
            adopt(upserted.key, upserted.outcome, in: &record, on: connection)
            return upserted
        }
    }

    @inlinable
    static func upsert(
        contentsOf records: some Sequence<RecordType>,
        by target: UpsertTarget<Self>,
        nils: NilPolicy,
        on connection: Connection
    ) throws -> [Upserted<Key>] {
        if let hooks {
            return try withHooks(contentsOf: records, hooks, on: connection) { records in
                let upserted = try connection.inList(of: records.count) {
                    try records.map { try upsert($0, by: target, nils: nils, on: connection) }
                }
                for (index, row) in zip(records.indices, upserted) {
                    adopt(row.key, row.outcome, in: &records[index], on: connection)
                }
                return upserted
            }
        }
        let records = ContiguousArray(records)
        return try connection.inList(of: records.count) {
            try records.map { try upsert($0, by: target, nils: nils, on: connection) }
        }
    }

    @inlinable
    static func upsert(
        _ record: RecordType,
        by target: UpsertTarget<Self>,
        nils: NilPolicy,
        on connection: Connection
    ) throws -> Upserted<Key> {
        // A failure after the update must roll the update back; each step is one statement, and only one of them
        // changes anything.
        let all = nils == .keep ? Operation.keep : Operation.overwrite
        if !target.isPrimaryKey, let present = try target.row(of: record, on: connection) {
            try validateUpdate(record)
            let rest = nils == .keep ? Operation.keepRest : Operation.overwriteRest
            let isUpdated =
                present.isSame
                ? try update(record, at: present.key, rest, except: target.indices, on: connection)
                : try update(record, at: present.key, all, on: connection)
            guard isUpdated else { throw TableFailure.noSuchRow(schema) }
            return Upserted(.updated, present.key)
        }
        if let key = key(of: record), try isUpdate(record, at: key, on: connection),
            try update(record, at: key, all, on: connection)
        {
            return Upserted(.updated, key)
        }
        if target.isPrimaryKey { try schema.checkKey() }
        return Upserted(.inserted, try insert(record, on: connection))
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
}
