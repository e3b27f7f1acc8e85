/// What an upsert does with a column whose value in the record is nil.
public enum NilPolicy: Sendable, Hashable {
    /// The row's value becomes NULL.
    case overwrite
    /// The row keeps the value it has.
    case keep
}

/// What an upsert did.
public struct Upserted<Key: TableKey>: Sendable, Equatable {
    /// Whether the row was there or is new.
    public enum Outcome: Sendable {
        /// The row is new.
        case inserted
        /// The row was there.
        case updated
    }

    /// Whether the row was there or is new.
    public let outcome: Outcome
    /// The row's key.
    public let key: Key

    /// Says what an upsert did.
    ///
    /// - Parameters:
    ///   - outcome: Whether the row was there or is new.
    ///   - key: The row's key.
    public init(_ outcome: Outcome, _ key: Key) {
        self.outcome = outcome
        self.key = key
    }
}

extension Table {
    /// Updates the row that unique columns point to, or inserts a new one.
    ///
    /// Three steps, on every engine: the row in which the columns have the record's values is updated and keeps its
    /// key; where there is none, the row with the record's key is updated; where there is none either, the record is
    /// inserted, with its key where it has one. When the column is the primary key and nil, the record is inserted.
    ///
    /// ```swift
    /// try Contact.upsert(contact, by: \.email, in: db)
    /// try Price.upsert(price, by: \.shop, \.article, nils: .keep, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: What nil does to a row that is there. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: Whether the row was there, and its key.
    /// - Throws: ``StrongroomError`` with `notUnique` when the columns are neither the primary key nor unique, or when
    ///   several rows of the file have the values all the same; `missingKey` when one of other columns is nil,
    ///   `constraint`; what the validations throw.
    @inlinable
    @discardableResult
    public static func upsert<each V>(
        _ record: RecordType,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let target = try UpsertTarget<Self>.of(repeat each columns, on: db.handle.connection)
        return try upsert(record, by: target, nils: nils, on: db.handle.connection)
    }

    /// Updates the row with the record's key, or inserts a new one.
    ///
    /// - Parameters:
    ///   - record: The record; one without a key is inserted.
    ///   - nils: What nil does to a row that is there. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: Whether the row was there, and its key.
    /// - Throws: ``StrongroomError`` with `constraint`; what the validations throw.
    @inlinable
    @discardableResult
    public static func upsert(
        _ record: RecordType,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        try upsert(record, by: UpsertTarget<Self>.primaryKey, nils: nils, on: db.handle.connection)
    }

    /// Upserts a list of records; all of them or none.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; one may find the row that an earlier one made.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - nils: What nil does to a row that is there.
    ///   - db: A write transaction.
    /// - Returns: For each record whether its row was there, and its key.
    /// - Throws: As the form for one record; then nothing is changed.
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

    /// Upserts a list of records by the primary key; all of them or none.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; one without a key is inserted.
    ///   - nils: What nil does to a row that is there.
    ///   - db: A write transaction.
    /// - Returns: For each record whether its row was there, and its key.
    /// - Throws: As the form for one record; then nothing is changed.
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
    static func upsert(
        contentsOf records: some Sequence<RecordType>,
        by target: UpsertTarget<Self>,
        nils: NilPolicy,
        on connection: Connection
    ) throws -> [Upserted<Key>] {
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
        // A failure after the update must not leave the update behind; each step is one statement, and one alone
        // changes.
        let all = nils == .keep ? Operation.keep : Operation.overwrite
        if !target.isPrimaryKey, let present = try target.row(of: record, on: connection) {
            try validateUpdate(record)
            let rest = nils == .keep ? Operation.keepRest : Operation.overwriteRest
            let isUpdated =
                present.isSame
                ? try update(record, at: present.key, rest, except: target.places, on: connection)
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

    /// Asks the table about an update; a refusal counts where there is a row to update, and elsewhere means that there
    /// is none.
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
