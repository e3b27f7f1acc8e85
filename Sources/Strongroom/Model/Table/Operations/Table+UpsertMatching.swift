/// What an upsert by columns that are not unique does when they identify several rows.
public enum SeveralRows: Sendable, Hashable {
    /// It throws `notUnique`, and changes nothing.
    case refuse
    /// It updates all of them.
    case updateAll
}

/// Upserts by columns that need no unique index.
extension Table {
    /// Updates the rows in which some columns have the record's values, or inserts a new row.
    ///
    /// Other than `upsert(_:by:nils:in:)` it requires no unique index: an index on the columns only makes it faster.
    /// Several rows can match then. If none does, the row with the record's key is updated; if there is none either,
    /// the record is inserted.
    ///
    /// ```swift
    /// try Contact.upsert(contact, matching: \.name, in: db)
    /// try Contact.upsert(contact, matching: \.name, \.city, several: .updateAll, nils: .keep, in: db)
    /// ```
    ///
    /// The hook `willSave` runs once for the record, before the rows are searched, `didSave` for each row.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - columns: The columns; compared with each column's collation.
    ///   - several: Whether several rows are an error, or are all updated; each keeps its key.
    ///   - nils: The treatment of nil in an existing row. A new row gets the column's default in place of nil.
    ///   - db: A write transaction.
    /// - Returns: The updated rows with their keys, smallest key first; or the one row that was inserted.
    /// - Throws: ``StrongroomError`` with `notUnique` if several rows match and are to be refused; `missingKey` if one
    ///   of the columns is nil in the record; `constraint`, also if all rows cannot have one value of a unique column;
    ///   errors of the validations and the ``hooks``. Nothing is changed then.
    @discardableResult
    public static func upsert<each V>(
        _ record: RecordType,
        matching columns: repeat KeyPath<Columns, Column<each V>>,
        several: SeveralRows = .refuse,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let target = try UpsertTarget<Self>(repeat each columns)
        return try upsert(record, matching: target, several, nils, on: db._handle.connection)
    }

    /// Upserts a list of records by columns that need not be unique, atomically.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; a record may update the row that an earlier
    ///     one inserted.
    ///   - columns: The columns.
    ///   - several: Whether several rows for one record are an error, or are all updated.
    ///   - nils: The treatment of nil in an existing row.
    ///   - db: A write transaction.
    /// - Returns: For each record, its rows.
    /// - Throws: As the method for one record; nothing is changed then.
    @discardableResult
    public static func upsert<each V>(
        contentsOf records: some Sequence<RecordType>,
        matching columns: repeat KeyPath<Columns, Column<each V>>,
        several: SeveralRows = .refuse,
        nils: NilPolicy = .overwrite,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [[Upserted<Key>]] {
        let connection = db._handle.connection
        let target = try UpsertTarget<Self>(repeat each columns)
        return try connection.inSavepoint {
            try records.map { try upsert($0, matching: target, several, nils, on: connection) }
        }
    }

    @usableFromInline
    static func upsert(
        _ record: RecordType, matching target: UpsertTarget<Self>, _ several: SeveralRows, _ nils: NilPolicy,
        on connection: Connection
    ) throws -> [Upserted<Key>] {
        guard !target.isPrimaryKey else { return [try upsertWithHooks(record, by: target, nils: nils, on: connection)] }
        return try connection.inSavepoint {
            let db = WriteTransaction(connection)
            var written = record
            if let hooks { try hooks.willSave(&written, in: db) }
            let rows = try write(written, matching: target, several, nils, on: connection)
            if let hooks {
                for row in rows {
                    var saved = written
                    adopt(row.key, row.outcome, in: &saved, on: connection)
                    try hooks.didSave(saved, in: db)
                }
            }
            return rows
        }
    }

    private static func write(
        _ record: RecordType, matching target: UpsertTarget<Self>, _ several: SeveralRows, _ nils: NilPolicy,
        on connection: Connection
    ) throws -> [Upserted<Key>] {
        let keys = try target.rows(of: record, on: connection)
        guard !keys.isEmpty else { return [try upsert(record, by: .primaryKey, nils: nils, on: connection)] }
        guard keys.count == 1 || several == .updateAll else {
            throw TableFailure.severalRows(schema, target.indices.map { RecordType.columnNames[$0] })
        }
        try validateUpdate(record)
        let operation = nils == .keep ? Operation.keep : Operation.overwrite
        return try keys.map { key in
            guard try update(record, at: key, operation, on: connection) else { throw TableFailure.noSuchRow(schema) }
            return Upserted(.updated, key)
        }
    }
}

extension TableFailure {
    /// - Parameter columns: The columns that match.
    fileprivate static func severalRows(_ schema: TableSchema, _ columns: [String]) -> StrongroomError {
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return StrongroomError(
            .notUnique,
            """
            Several rows of table "\(schema.name)" have the record's value of \(list); nothing was changed. Match \
            further columns, or update all of the rows with `several: .updateAll`.
            """)
    }
}
