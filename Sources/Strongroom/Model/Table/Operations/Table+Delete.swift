extension Table {
    /// Deletes the row with a key.
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - db: A write transaction.
    /// - Returns: Whether there was such a row.
    /// - Throws: ``StrongroomError`` with `constraint` if other rows reference it, `tableDiffers` if several rows of
    ///   the file's table can have one key, or the engine's error.
    @inlinable
    @discardableResult
    public static func delete(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Bool {
        let connection = db._handle.connection
        let operation = OperationKey(Self.self, Operation.delete)
        let statement = try Self.statement(operation, on: connection, isByKey: true) { try $0.delete() }
        defer { statement.finish() }
        try bind(key, to: Bindings(statement), at: 0)
        try statement.run()
        return connection.changes > 0
    }

    /// Deletes the rows with some keys, atomically.
    ///
    /// - Parameters:
    ///   - keys: Any number of primary keys.
    ///   - db: A write transaction.
    /// - Returns: The number of rows that existed.
    /// - Throws: As the method for one key.
    @inlinable
    @discardableResult
    public static func delete(keys: some Sequence<Key>, in db: borrowing some Writing & ~Copyable) throws -> Int {
        let (keys, connection) = (Array(keys), db._handle.connection)
        return try connection.inSavepoint {
            if let count = try deleteTogether(keys, on: connection) { return count }
            var count = 0
            for key in keys where try delete(key, in: db) { count += 1 }
            return count
        }
    }

    /// Deletes the rows with some keys with one statement, for which the engine keeps the original of each page once.
    /// With one statement per row, it keeps the page for each statement until the outermost savepoint ends.
    ///
    /// - Returns: The number of rows that existed; nil if they must be deleted one by one: for a short list, for
    ///   composite keys, if the order matters, and after a constraint violation.
    @usableFromInline
    static func deleteTogether(_ keys: [Key], on connection: Connection) throws -> Int? {
        guard keys.count > ListTable.shortest, Key.columnCount == 1,
            try connection.deletesInAnyOrder(schema.name)
        else { return nil }
        let list = SQLValue.blob(ListTable.encode(try keys.flatMap(plainValues(of:))))
        do {
            return try connection.inSavepoint {
                let operation = OperationKey(Self.self, Operation.deleteMany)
                let statement = try Self.statement(operation, on: connection, isByKey: true) { try $0.deleteMany() }
                defer { statement.finish() }
                try statement.bind([list])
                try statement.run()
                return connection.changes
            }
        } catch let error as StrongroomError where error.code == .constraint && connection.canGoOn {
            return nil
        }
    }

    /// Deletes a record's row.
    ///
    /// - Parameters:
    ///   - record: The record; only its key is used.
    ///   - cascading: Whether the rows that reference it are deleted, too; see ``Relations``.
    ///   - db: A write transaction.
    /// - Returns: Whether there was such a row.
    /// - Throws: ``StrongroomError`` with `missingKey` if the record has no key, `constraint` if other rows reference
    ///   it, `otherStore` as for a save, or the engine's error; errors of the ``hooks``. The row is then not deleted.
    @inlinable
    @discardableResult
    public static func delete(
        _ record: RecordType, cascading: Bool = false, in db: borrowing some Writing & ~Copyable
    ) throws -> Bool {
        if cascading { return try deleteTrees([record], on: db._handle.connection) > 0 }
        guard let key = key(of: record) else { throw schema.missingKey }
        guard let hooks else { return try delete(key, in: db) }
        return try delete(record, key, hooks, on: db._handle.connection)
    }

    /// Deletes the rows of a list of records, atomically.
    ///
    /// - Parameters:
    ///   - records: Any number of records; only their keys are used.
    ///   - cascading: Whether the rows that reference them are deleted, too; see ``Relations``.
    ///   - db: A write transaction.
    /// - Returns: The number of rows that existed.
    /// - Throws: As the method for one record.
    @inlinable
    @discardableResult
    public static func delete(
        contentsOf records: some Sequence<RecordType>, cascading: Bool = false,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Int {
        let (records, connection) = (Array(records), db._handle.connection)
        if cascading { return try deleteTrees(records, on: connection) }
        return try connection.inSavepoint {
            let keys = records.compactMap(key(of:))
            if hooks == nil, keys.count == records.count, let count = try deleteTogether(keys, on: connection) {
                return count
            }
            var count = 0
            for record in records where try delete(record, in: db) { count += 1 }
            return count
        }
    }

    /// Deletes every row; the next generated key is 1 again.
    ///
    /// - Parameter db: A write transaction.
    /// - Returns: The number of deleted rows.
    /// - Throws: ``StrongroomError`` with `constraint` if other rows reference one of them, or the engine's error.
    @discardableResult
    public static func truncate(in db: borrowing some Writing & ~Copyable) throws -> Int {
        try db._handle.connection.prepareTable(schema)
        let count = try db.execute("DELETE FROM \(name: schema.name)")
        // The engine creates the table with the first AUTOINCREMENT table, and the table in the file may differ from
        // its declaration.
        let sequences = try db.value("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_sequence'", as: Int.self)
        if sequences != nil {
            // By the table's name as in the file. The file's column may be AUTOINCREMENT although it is not declared
            // so.
            try db.execute("DELETE FROM main.sqlite_sequence WHERE name = \(schema.name) COLLATE NOCASE")
        }
        return count
    }
}
