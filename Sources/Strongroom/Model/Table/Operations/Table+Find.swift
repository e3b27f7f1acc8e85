extension Table {
    /// The record with a key.
    ///
    /// ```swift
    /// let contact = try Contact.find(42, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - db: A transaction.
    /// - Returns: The record, or nil when there is none.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
    @inlinable
    public static func find(_ key: Key, in db: borrowing some Reading & ~Copyable) throws -> RecordType? {
        let connection = db.handle.connection
        let statement = try connection.statement(OperationKey(Self.self, TableStatements.Operation.find)) {
            try connection.requireSortedDecimals(of: schema)
            return (try TableStatements(schema, RecordType.columnNames).find(), [])
        }
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
        do {
            return try Query<Self>().where(key: key).located(error, at: 0, on: connection)
        } catch {
            return error
        }
    }

    /// Whether there is a row with a key.
    @inlinable
    static func isPresent(_ key: Key, on connection: Connection) throws -> Bool {
        let statement = try connection.statement(OperationKey(Self.self, TableStatements.Operation.find)) {
            try connection.requireSortedDecimals(of: schema)
            return (try TableStatements(schema, RecordType.columnNames).find(), [])
        }
        defer { statement.finish() }
        try bind(key, to: Bindings(statement), at: 0)
        return try statement.step()
    }

    /// The records with some keys.
    ///
    /// - Parameters:
    ///   - keys: The primary keys, any number; a key that stands twice counts once.
    ///   - db: A transaction.
    /// - Returns: The records that are there, in the order of their keys in the list; none for an empty list.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
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

    /// The keys without those that stand before them; told apart as the engine does.
    @usableFromInline
    static func distinct(_ keys: some Sequence<Key>) throws -> [Key] {
        var seen: Set<[Value]> = []
        return try keys.filter { try seen.insert(identity(of: $0)).inserted }
    }

    /// The record with the highest primary key.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The record, or nil when the table is empty.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
    @inlinable
    public static func latest(in db: borrowing some Reading & ~Copyable) throws -> RecordType? {
        try Query<Self>().latest(in: db)
    }

    /// Every record of the table, in the order of the primary key.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
    @inlinable
    public static func all(in db: borrowing some Reading & ~Copyable) throws -> [RecordType] {
        try Query<Self>().orderedByKey(descending: false).fetch(in: db)
    }

    /// The number of rows.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    @inlinable
    public static func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try Query<Self>().count(in: db)
    }

    /// The records for which a condition holds, as a query to refine or to run.
    ///
    /// ```swift
    /// let page = try Contact.where { $0.name.hasPrefix("A") }.order { $0.name.ascending }.limit(20).fetch(in: db)
    /// ```
    ///
    /// - Parameter condition: Makes the condition from the table's columns.
    /// - Returns: The query.
    public static func `where`(_ condition: (Columns) -> Condition) -> Query<Self> {
        Query<Self>().where(condition)
    }

    /// The records in some order, as a query to refine or to run.
    ///
    /// - Parameter orderings: Makes the orderings from the table's columns; the first counts most.
    /// - Returns: The query.
    public static func order(_ orderings: (Columns) -> Ordering...) -> Query<Self> {
        var query = Query<Self>()
        for ordering in orderings { query = query.order(ordering) }
        return query
    }

    /// Every record, as a query to refine or to run.
    public static var query: Query<Self> { Query() }

    /// Puts rows together that have the same values.
    ///
    /// ```swift
    /// let cities = try Contact.group { $0.city }.select { ($0.city, RowCount()) }.fetch(in: db)
    /// ```
    ///
    /// - Parameter expressions: Makes the expressions to group by from the table's columns.
    /// - Returns: The groups, of which values can be selected.
    public static func group<each E: SQLExpression>(_ expressions: (Columns) -> (repeat each E)) -> GroupedQuery<Self> {
        Query<Self>().group(expressions)
    }
}
