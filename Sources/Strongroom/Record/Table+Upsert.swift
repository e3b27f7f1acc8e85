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

    @usableFromInline
    init(_ outcome: Outcome, _ key: Key) {
        self.outcome = outcome
        self.key = key
    }
}

extension Table {
    /// Updates the row that a unique column points to, or inserts a new one.
    ///
    /// Three steps, on every engine: the row in which the column has the record's value is updated and keeps its key; where
    /// there is none, the row with the record's key is updated; where there is none either, the record is inserted, with its
    /// key where it has one. When the column is the primary key and nil, the record is inserted.
    ///
    /// ```swift
    /// try Contact.upsert(contact, by: \.email, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - column: The primary key or a unique column.
    ///   - nils: What nil does to a row that is there. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: Whether the row was there, and its key.
    /// - Throws: ``StrongroomError`` with `notUnique` when the column is neither the primary key nor unique, `missingKey` when it is
    ///   another column and nil, `constraint`; what the validations throw.
    @inlinable
    @discardableResult
    public static func upsert<V>(
        _ record: RecordType,
        by column: KeyPath<Columns, Column<V>>,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let definition = columns[keyPath: column].definition
        return try upsert(record, by: definition, nils: nils, on: db.handle.connection)
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
        try upsert(record, by: schema.primaryKey(), nils: nils, on: db.handle.connection)
    }

    @inlinable
    static func upsert(
        _ record: RecordType,
        by column: ColumnDefinition,
        nils: NilPolicy,
        on connection: Connection
    ) throws -> Upserted<Key> {
        // A failure after the update must not leave the update behind; each step is one statement, and one alone changes.
        let keepingNil = nils == .keep
        if !column.isPrimaryKey, let present = try rowKey(of: record, by: column, on: connection) {
            try validateUpdate(record)
            guard try update(record, at: present, keepingNil: keepingNil, on: connection) else {
                throw TableFailure.noSuchRow(schema)
            }
            return Upserted(.updated, present)
        }
        if let key = key(of: record), try isUpdate(record, at: key, on: connection),
            try update(record, at: key, keepingNil: keepingNil, on: connection)
        {
            return Upserted(.updated, key)
        }
        return Upserted(.inserted, try insert(record, on: connection))
    }

    /// Asks the table about an update; a refusal counts where there is a row to update, and elsewhere means that there is none.
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

    /// The key of the row in which a unique column has the record's value.
    @inlinable
    static func rowKey(of record: RecordType, by column: ColumnDefinition, on connection: Connection) throws -> Key? {
        let statements = TableStatements(schema, RecordType.columnNames)
        let statement = try connection.statement(statements.keyByUnique(column.name))
        defer { statement.finish() }
        try record.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        guard try statement.step() else { return nil }
        let row = Row(statement)
        guard try !row.isNull(at: 0) else { throw TableFailure.missingUnique(schema, column.name) }
        return try Key(from: row, at: 0)
    }
}
