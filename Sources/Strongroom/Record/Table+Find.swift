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
        let statement = try db.handle.connection.statement(OperationKey(Self.self, TableStatements.Operation.find)) {
            (try TableStatements(schema, RecordType.columnNames).find(), [])
        }
        defer { statement.finish() }
        try key.bind(to: Bindings(statement), at: 0)
        return try statement.step() ? RecordType(row: Row(statement)) : nil
    }

    /// Whether there is a row with a key.
    @inlinable
    static func isPresent(_ key: Key, on connection: Connection) throws -> Bool {
        let statement = try connection.statement(OperationKey(Self.self, TableStatements.Operation.find)) {
            (try TableStatements(schema, RecordType.columnNames).find(), [])
        }
        defer { statement.finish() }
        try key.bind(to: Bindings(statement), at: 0)
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
        var seen: Set<Value> = []
        var records: [RecordType] = []
        for key in keys where try seen.insert(key.stored().exact).inserted {
            if let record = try find(key, in: db) { records.append(record) }
        }
        return records
    }

    /// Every record of the table, in the order of the primary key.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
    @inlinable
    public static func all(in db: borrowing some Reading & ~Copyable) throws -> [RecordType] {
        try Query<Self>().order(SQL.name(schema.primaryKey().name)).fetch(db)
    }

    /// The number of rows.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    @inlinable
    public static func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try Query<Self>().count(db)
    }

    /// The records for which a condition holds, as a query to refine or to run.
    ///
    /// ```swift
    /// let page = try Contact.where { $0.name.hasPrefix("A") }.order { $0.name.ascending }.limit(20).fetch(db)
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
        orderings.reduce(Query<Self>()) { $0.order($1) }
    }
}
