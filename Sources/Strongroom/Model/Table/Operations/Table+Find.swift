extension Table {
    /// The record with a key: `try Contact.find(42, in: db)`.
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - db: A transaction.
    /// - Returns: The record, or nil if there is none.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's error.
    @inlinable
    public static func find(_ key: Key, in db: borrowing some Reading & ~Copyable) throws -> RecordType? {
        let connection = db._handle.connection
        let statement = try findStatement(on: connection)
        defer { statement.finish() }
        try bind(key, to: Bindings(statement), at: 0)
        guard try statement.step() else { return nil }
        do {
            return try RecordType(row: Row(statement))
        } catch {
            throw located(error, key, on: connection)
        }
    }

    @usableFromInline
    static func located(_ error: any Error, _ key: Key, on connection: Connection) -> any Error {
        (try? Query<Self>().where(key: key).located(error, at: 0, on: connection)) ?? error
    }

    @inlinable
    static func isPresent(_ key: Key, on connection: Connection) throws -> Bool {
        let statement = try findStatement(on: connection)
        defer { statement.finish() }
        try bind(key, to: Bindings(statement), at: 0)
        return try statement.step()
    }

    @inlinable
    static func findStatement(on connection: Connection) throws -> Statement {
        try statement(OperationKey(Self.self, Operation.find), on: connection) { try $0.find() }
    }

    /// The statement of an operation, which is made when it is first needed, or has no key.
    ///
    /// - Parameters:
    ///   - isByKey: Whether it changes a row with a key, which must be unique in the file.
    ///   - isInsert: Whether it binds columns' defaults in place of NULL.
    @inlinable
    static func statement(
        _ key: OperationKey?, on connection: Connection, isByKey: Bool = false, isInsert: Bool = false,
        _ make: (TableStatements) throws -> String
    ) throws -> Statement {
        try connection.statement(key) {
            try connection.prepareTable(schema)
            if isByKey { try connection.requireUniqueKey(of: schema) }
            let statements = TableStatements(schema, RecordType.columnNames)
            return try (make(statements), isInsert ? statements.defaults() : [])
        }
    }

    /// The records with some keys.
    ///
    /// - Parameters:
    ///   - keys: Any number of primary keys; duplicates are ignored.
    ///   - db: A transaction.
    /// - Returns: The records that exist, in the order of the keys; empty for an empty list.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's error.
    @inlinable
    public static func find(_ keys: some Sequence<Key>, in db: borrowing some Reading & ~Copyable) throws
        -> [RecordType]
    {
        var records: [RecordType] = []
        for key in try distinct(keys) {
            if let record = try find(key, in: db) { records.append(record) }
        }
        return records
    }

    /// The keys without duplicates, compared as the engine does.
    @usableFromInline
    static func distinct(_ keys: some Sequence<Key>) throws -> [Key] {
        var seen: Set<[SQLValue]> = []
        return try keys.filter { try seen.insert(identity(of: $0)).inserted }
    }

    /// Every record of the table, in the order of the primary key.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's error.
    @inlinable
    public static func all(in db: borrowing some Reading & ~Copyable) throws -> [RecordType] {
        try Query<Self>().orderedByKey(descending: false).fetch(in: db)
    }

    /// The number of rows.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's error.
    @inlinable
    public static func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try Query<Self>().count(in: db)
    }

    /// A query for the records that satisfy a condition: `Contact.where { $0.name.hasPrefix("A") }.limit(20).fetch(in:
    /// db)`.
    ///
    /// - Parameter condition: Returns the condition for the table's columns.
    /// - Returns: The query.
    @inlinable
    public static func `where`(_ condition: (Columns) -> Condition) -> Query<Self> {
        Query(evaluate(condition))
    }

    /// A query for the records in some order: `Contact.order { ($0.city.ascending, $0.name.descending) }`.
    ///
    /// - Parameter orderings: Returns one ordering, or several as a tuple or as lines, the most significant first.
    /// - Returns: The query.
    public static func order(@OrderingBuilder _ orderings: (Columns) -> [Ordering]) -> Query<Self> {
        Query<Self>().order(orderings)
    }

    /// A query for all records.
    public static var query: Query<Self> { Query() }

    /// Groups rows with equal values: `Contact.group { $0.city }.select { ($0.city, RowCount()) }.fetch(in: db)`.
    ///
    /// - Parameter expressions: Returns the expressions to group by for the table's columns.
    /// - Returns: The groups, of which values can be selected.
    public static func group<each E: SQLExpression>(
        _ expressions: (Columns) -> (repeat each E)
    ) -> GroupedQuery<Columns> {
        Query<Self>().group(expressions)
    }
}

/// Rows as they are stored: with the columns' defaults, generated columns, and what triggers and hooks have written.
extension Table {
    /// The row with a key, as it is stored.
    ///
    /// ```swift
    /// let stored = try Contact.stored(Contact.insert(contact, in: db), as: Contact.self, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key of a row that exists, such as one that was just written.
    ///   - type: The type of the result; its columns are columns of the table.
    ///   - db: A transaction.
    /// - Returns: The row.
    /// - Throws: ``StrongroomError`` with `noSuchRow` if there is no such row, `typeMismatch`, or `sql` for a column
    ///   that the table does not have. As any error that leaves the closure, it rolls a write back.
    public static func stored<R: Record>(
        _ key: Key, as type: R.Type, in db: borrowing some Reading & ~Copyable
    ) throws -> R {
        try stored([key], as: type, in: db)[0]
    }

    /// The rows with some keys, as they are stored.
    ///
    /// - Parameters:
    ///   - keys: The keys of rows that exist, such as `rows.map(\.key)` of an upsert.
    ///   - type: The type of the results; its columns are columns of the table.
    ///   - db: A transaction.
    /// - Returns: The row of each key, in the order of the keys.
    /// - Throws: As the method for one key.
    public static func stored<R: Record>(
        _ keys: [Key], as type: R.Type, in db: borrowing some Reading & ~Copyable
    ) throws -> [R] {
        try keys.map { key in
            guard let record = try Query<Self>().where(key: key).fetch(as: type, in: db).first else {
                throw schema.notStored
            }
            return record
        }
    }

    /// Reads the columns of a record's row into the record; properties that are not stored, such as loaded children,
    /// are kept.
    ///
    /// - Parameters:
    ///   - record: The record; unchanged if reading fails.
    ///   - db: A transaction.
    /// - Throws: ``StrongroomError`` with `missingKey` if the record has no key, `noSuchRow` if there is no row with
    ///   it, or `typeMismatch`.
    public static func reload(_ record: inout RecordType, in db: borrowing some Reading & ~Copyable) throws {
        guard let key = key(of: record) else { throw schema.missingKey }
        let connection = db._handle.connection
        try connection.prepareTable(schema)
        let columns = RecordType.columnNames.map(Identifier.quote).joined(separator: ", ")
        let row = try Query<Self>().where(key: key).clauses.sql(after: "SELECT \(columns) FROM \(schema.quotedName)")
        var copy = record
        let found: Void? = try Query<Self>.firstRow(row, on: connection) { row in try copy._update(from: row) }
        guard found != nil else { throw schema.notStored }
        record = copy
    }
}

extension TableSchema {
    var notStored: StrongroomError {
        StrongroomError(
            .noSuchRow,
            """
            Table "\(name)" has no row with a key that was to be read. If the row was just written, a trigger \
            or a hook has deleted it or changed its key, or a later row has replaced it (ON CONFLICT REPLACE).
            """)
    }
}
